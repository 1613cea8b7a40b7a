import { describe, expect, test } from 'vitest';
import { askWriter } from '../../../src/actors/research/ask-writer.ts';
import type { Clock } from '../../../src/domain/common/clock.ts';
import type { LlmPort } from '../../../src/domain/llm/llm.ts';
import type { Turn } from '../../../src/domain/panel/records.ts';
import { createLlm } from '../../../src/providers/llm/create-llm.ts';
import { SimulatedClock } from '../../../src/runtime/timer/clock.ts';
import { askTranslation } from '../../../src/tools/translation/ask-translation.ts';
import { arbitrationWorld } from '../../support/arbitration-world.ts';
import { startCouncil } from '../../support/council.ts';
import { DEAD_WIRES, ODD_WIRES, oddHost } from '../../support/odd-models.ts';
import { ODD_TEXTS } from '../../support/odd-texts.ts';
import { panelWorld } from '../../support/panel-world.ts';
import { readPanel } from '../../support/read-panel.ts';

const SEATS = 7;
const OPTIONS = ['Redis-backed queue', 'Postgres table', 'Managed cloud queue'];

/** Models `m0`, `m1`, …, each on a host of its own and with a behaviour of its own. */
function oddModels(behaviours: readonly string[], clock: Clock, size = behaviours.length) {
  const names = Array.from({ length: size }, (_, place) => `m${place}`);
  const plans = new Map(names.map((name, place) => [name, behaviours[place] ?? 'ok']));
  const host = oddHost(plans, () => clock.now());
  const entries = names.map((name) => `openai:${name}@https://${name}.example/v1#K`);
  const llm = createLlm({
    models: entries.join(','),
    prices: names.map((name) => `openai:${name}=0.1/0.4`).join(','),
    keys: () => 'k',
    clock,
    fetch: host.fetch,
  });
  return { llm, asked: host.asked };
}

/** A clock that a world brings only later. */
function lateClock() {
  let clock: Clock = new SimulatedClock(0);
  const late: Clock = { now: () => clock.now(), at: (at, run) => clock.at(at, run) };
  const set = (given: Clock) => {
    clock = given;
  };
  return { late, set };
}

function batches(names: readonly string[], size: number): string[][] {
  const count = Math.ceil(names.length / size);
  return Array.from({ length: count }, (_, at) => names.slice(at * size, (at + 1) * size));
}

type Played = { readonly turns: readonly Turn[]; readonly ms: number; readonly result: unknown };

async function playDebate(behaviours: readonly string[], rounds = 0): Promise<Played> {
  const { late, set } = lateClock();
  const { llm } = oddModels(behaviours, late, SEATS);
  const world = await panelWorld(llm);
  set(world.clock);
  const began = world.clock.now();
  const jobId = await world.start({
    options: OPTIONS,
    seats: SEATS,
    max_rounds: rounds,
    devils_advocate: false,
    evidence: ['The load is 20 jobs a second.'],
  });
  await world.finish(jobId);
  const { turns } = await world.context(jobId);
  const { result } = await readPanel(world.deps(), jobId);
  return { turns, ms: world.clock.now() - began, result };
}

async function playCouncil(behaviours: readonly string[]): Promise<Played> {
  const { late, set } = lateClock();
  const { llm } = oddModels(behaviours, late, SEATS);
  const world = await panelWorld(llm);
  set(world.clock);
  const began = world.clock.now();
  const jobId = await startCouncil(world, { seats: SEATS });
  await world.finish(jobId);
  const { turns } = await world.context(jobId);
  const { result } = await readPanel(world.deps(), jobId);
  return { turns, ms: world.clock.now() - began, result };
}

async function playArbitration(behaviours: readonly string[]): Promise<Played> {
  const { late, set } = lateClock();
  const { llm } = oddModels(behaviours, late, SEATS);
  const made = await arbitrationWorld({ llm, request: { seats: SEATS } });
  set(made.world.clock);
  try {
    await made.begin();
    await made.give('buyer', { evidence: [{ text: 'It was late.' }], is_last: true });
    await made.give('provider', { evidence: [{ text: 'It was not.' }], is_last: true });
    const began = made.world.clock.now();
    let state = await readPanel(made.deps(), 'job_1');
    for (let step = 0; state.result === undefined && step < 600; step += 1) {
      await made.world.clock.advance(1_000);
      state = await readPanel(made.deps(), 'job_1');
    }
    const { turns } = await made.context();
    return { turns, ms: made.world.clock.now() - began, result: state.result };
  } finally {
    await made.world.end();
  }
}

const PANELS = { debate: playDebate, council: playCouncil, arbitration: playArbitration };
const ODD = [...Object.keys(ODD_TEXTS), ...Object.keys(ODD_WIRES)];

describe.each(Object.entries(PANELS))('in a %s', (name, play) => {
  // An arbiter must cite something: without a list its judgement is asked for again.
  const heard = ODD.filter((odd) => name !== 'arbitration' || odd !== 'no list');

  test.each(batches(heard, SEATS))('every seat is heard: %s, %s, %s, %s', async (...odd) => {
    const { turns, ms, result } = await play(odd);
    const lost = turns.filter(({ status }) => status !== 'ok');
    const told = lost.map(({ turnId, seatId, detail }) => [
      odd[Number(seatId.slice(1))],
      turnId,
      detail,
    ]);
    expect(told).toEqual([]);
    // Nobody stood in, and no answer was asked for twice.
    const others = turns.filter(({ answeredBy }) => answeredBy?.model !== undefined);
    expect(others.every(({ answeredBy }) => answeredBy?.served === 'cheap-mini-2')).toBe(true);
    expect(turns.filter(({ attempts }) => attempts > 1)).toEqual([]);
    expect(result).toMatchObject({ outcome: 'decided' });
    expect(ms).toBeLessThan(15_000);
  });

  test.each(batches(Object.keys(DEAD_WIRES), 3))(
    'others stand in for a model that gives nothing: %s, %s, %s',
    async (...dead) => {
      const { turns, ms, result } = await play(dead);
      expect(turns.filter(({ status }) => status !== 'ok')).toEqual([]);
      const stood = turns.filter(({ answeredBy }) => answeredBy !== undefined);
      expect(new Set(stood.map(({ seatId }) => seatId)).size).toBe(dead.length);
      expect(result).toMatchObject({ outcome: 'decided' });
      expect(ms).toBeLessThan(60_000);
    },
  );
});

test('a seat that hung is not waited for again', async () => {
  const { turns, ms } = await playDebate(['half an answer, then nothing'], 2);
  const own = turns.filter(({ seatId }) => seatId === 's0');
  expect(own.length).toBeGreaterThan(1);
  expect(own[0]?.ms).toBeGreaterThan(10_000);
  expect(own.slice(1).every((turn) => turn.ms < 2_000)).toBe(true);
  expect(ms).toBeLessThan(25_000);
});

test('one model behind seven names is one family', async () => {
  const { result } = await playDebate(Array.from({ length: SEATS }, () => 'another model'));
  expect(result).toMatchObject({ families: 1 });
  expect(JSON.stringify(result)).toContain('its host names \\"cheap-mini-2\\"');
});

test('wild usage costs no more than was possible, and the others go on', async () => {
  const { turns, result } = await playDebate(['usage huge']);
  const { cost, limits } = result as {
    cost: Record<string, { micro_usd: string }>;
    limits: string[];
  };
  expect(BigInt(cost['spent']?.micro_usd ?? '0')).toBeLessThan(
    BigInt(cost['budget']?.micro_usd ?? '0'),
  );
  expect(turns.filter(({ phase }) => phase === 'vote')).toHaveLength(SEATS);
  expect(limits.join(' ')).toContain('named more tokens or money than the call could use');
});

/** Plays a call to its end on a clock that stands still but for it. */
async function played<T>(clock: SimulatedClock, begun: Promise<T>): Promise<T> {
  let isOver = false;
  const ended = begun.finally(() => {
    isOver = true;
  });
  for (let step = 0; !isOver && step < 200; step += 1) await clock.advance(isOver ? 0 : 500);
  return ended;
}

const ENGLISH = {
  text: '共有 12,000 台。',
  from: 'zh',
  to: 'en',
  glossary: [],
  names: [],
} as const;

const SINGLE: Record<string, (llm: LlmPort, clock: Clock) => Promise<object>> = {
  translation: (llm) => askTranslation(llm, 'openai:m0', { ...ENGLISH, budgetMicroUsd: 80_000n }),
  research: (llm, clock) =>
    askWriter({ llm, clock }, 'openai:m0', {
      request: { topic: 'proof of stake', questions: [], urls: [] } as never,
      documents: [],
      ranked: { passages: [], parts: [{ id: 'q1', chosen: [] }] } as never,
      deadline: clock.now() + 100_000,
      signal: new AbortController().signal,
    }),
};

describe.each(Object.entries(SINGLE))('in a %s', (_name, ask) => {
  test.each(ODD)('an answer is read: %s', async (odd) => {
    const clock = new SimulatedClock(Date.UTC(2026, 0, 1));
    const { llm } = oddModels([odd], clock);
    const asked = await played(clock, ask(llm, clock));
    expect(asked).not.toHaveProperty('fault');
  });

  test.each(Object.keys(DEAD_WIRES))('no answer is a fault that says so: %s', async (odd) => {
    const clock = new SimulatedClock(Date.UTC(2026, 0, 1));
    const { llm } = oddModels([odd], clock);
    expect(await played(clock, ask(llm, clock))).toHaveProperty('fault');
  });
});

test('what one request taught is forgotten after a while, and teaches nobody what it was not', async () => {
  const clock = new SimulatedClock(Date.UTC(2026, 0, 1));
  const { llm, asked } = oddModels(['detail list: response_format'], clock);
  const ask = () =>
    played(clock, askTranslation(llm, 'openai:m0', { ...ENGLISH, budgetMicroUsd: 80_000n }));
  await ask();
  await ask();
  expect(asked.map(({ format }) => format)).toEqual(['json_schema', 'json_object', 'json_object']);
  await clock.advance(11 * 60_000);
  await ask();
  expect(asked.at(-2)?.format).toBe('json_schema');
});
