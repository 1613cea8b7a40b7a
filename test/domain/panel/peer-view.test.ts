import fc from 'fast-check';
import { expect, test } from 'vitest';
import { buildTurnPrompt } from '../../../src/domain/debate/prompt.ts';
import { countPositions, createPeerView } from '../../../src/domain/panel/peer-view.ts';
import type { Seat, Turn } from '../../../src/domain/panel/records.ts';
import { briefWith, debateInput, turnOf } from '../../support/debate.ts';

const input = debateInput();
const options = ['o1', 'o2', 'o3'];

function facts(turns: readonly Turn[], seed = 'seed', devilSeatId?: string) {
  const seatIds = input.seats.map((seat) => seat.seatId);
  return { turns, seatIds, optionIds: options, seed, devilSeatId };
}

const openings = input.seats.map(({ seatId }, n) =>
  turnOf(input, `opening.0.${seatId}`, options[n % 3] ?? ''),
);
const rebuttal = { viewer: 's1', phase: 'rebuttal', round: 1 } as const;

test('a seat sees its own text and those of two others', () => {
  const view = createPeerView(facts(openings), rebuttal);
  expect(view.own?.argumentSha).toBe(openings[1]?.argumentSha);
  expect(view.peers.map((peer) => peer.label)).toEqual(['A', 'B']);
  const seen = view.peers.map((peer) => peer.argumentSha);
  expect(new Set(seen).size).toBe(2);
  expect(seen).not.toContain(view.own?.argumentSha);
});

test('counts stand in rebuttals and never in votes', () => {
  expect(createPeerView(facts(openings), rebuttal).counts).toEqual({ o1: 2, o2: 2, o3: 1 });
  const vote = createPeerView(facts(openings), { viewer: 's1', phase: 'vote', round: 0 });
  expect(vote.counts).toBeUndefined();
});

test('labels are dealt anew: over many seeds a neighbour is A about half of the time', () => {
  const ring = createPeerView(facts(openings, 'seed-0'), rebuttal).peers;
  const [one] = ring;
  let [asA, seen] = [0, 0];
  for (let n = 0; n < 400; n += 1) {
    const { peers } = createPeerView(facts(openings, `seed-${n}`), rebuttal);
    const place = peers.findIndex((peer) => peer.argumentSha === one?.argumentSha);
    if (place >= 0) seen += 1;
    if (place === 0) asA += 1;
  }
  expect(seen).toBeGreaterThan(100);
  expect(asA / seen).toBeGreaterThan(0.3);
  expect(asA / seen).toBeLessThan(0.7);
});

test('labels differ between rounds and viewers while the ring stays', () => {
  const labels = new Set(
    [1, 2, 3, 4, 5, 6].map((round) =>
      JSON.stringify(createPeerView(facts(openings), { ...rebuttal, round }).peers),
    ),
  );
  expect(labels.size).toBe(2);
});

test('every seat that spoke is read by two others', () => {
  const readBy = new Map<string, number>();
  for (const { seatId } of input.seats) {
    for (const { argumentSha } of createPeerView(facts(openings), { ...rebuttal, viewer: seatId })
      .peers) {
      readBy.set(argumentSha, (readBy.get(argumentSha) ?? 0) + 1);
    }
  }
  expect([...readBy.values()]).toEqual([2, 2, 2, 2, 2]);
});

test('an assigned argument does not count as a position', () => {
  const turns = [...openings, turnOf(input, 'rebuttal.1.s4', 'o3')];
  expect(countPositions(facts(turns, 'seed', 's4'))).toEqual({ o1: 2, o2: 2, o3: 1 });
  expect(countPositions(facts(turns))).toEqual({ o1: 2, o2: 1, o3: 2 });
});

test('no view and no prompt names a seat, a model, a family or a vendor', () => {
  const word = fc.stringMatching(/^[a-z]{6,12}$/).map((text) => `zq${text}`);
  const seats = fc
    .array(fc.record({ vendor: word, model: word, family: word }), { minLength: 5, maxLength: 11 })
    .map((rows) =>
      rows.map(
        ({ vendor, model, family }, n): Seat => ({
          seatId: `s${n}`,
          role: 'panelist',
          kind: 'llm',
          model: `${vendor}:${model}`,
          family,
        }),
      ),
    );
  const phase = fc.constantFrom('rebuttal' as const, 'vote' as const);
  fc.assert(
    fc.property(seats, phase, fc.string(), (panel, phaseOf, seed) => {
      const turns = panel.map(({ seatId }, n) =>
        turnOf({ ...input, seats: panel }, `opening.0.${seatId}`, options[n % 3] ?? ''),
      );
      const all = { ...facts(turns, seed), seatIds: panel.map((seat) => seat.seatId) };
      for (const seat of panel) {
        const view = createPeerView(all, { viewer: seat.seatId, phase: phaseOf, round: 1 });
        const order = {
          turnId: `job_1/${phaseOf}/1/${seat.seatId}`,
          phase: phaseOf,
          round: 1,
          seat,
          briefSha: 'b',
          seed,
          view,
          citedIds: [],
          allowanceMicroUsd: '0',
          timeoutMs: 1,
        };
        const { system, prompt, schema } = buildTurnPrompt(order, briefWith(), () => 'an argument');
        const said = JSON.stringify([view, system, prompt, schema]);
        expect(said).not.toMatch(/\bs\d{1,2}\b/);
        for (const { model, family } of panel) {
          for (const name of [...model.split(':'), family]) expect(said).not.toContain(name);
        }
      }
    }),
    { numRuns: 60 },
  );
});
