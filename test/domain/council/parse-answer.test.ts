import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseCouncilAnswer } from '../../../src/domain/council/parse-answer.ts';
import { createCouncilBrief } from '../../../src/domain/council/request.ts';
import type { TurnOrder } from '../../../src/domain/panel/order.ts';
import { councilRequest } from '../../support/council.ts';
import { seatsOf } from '../../support/debate.ts';

const brief = createCouncilBrief(councilRequest({ evidence: ['A text.'] }), '2026-01-01');

function order(phase: string, role: string): TurnOrder {
  const [seat] = seatsOf(1);
  return {
    turnId: `j/${phase}/0/s0`,
    phase,
    round: 0,
    briefSha: 'b',
    seed: 's',
    citedIds: [],
    seat: { ...(seat as TurnOrder['seat']), role },
    roles: { s0: role, s1: 'CISO', s2: 'LEGAL' },
    allowanceMicroUsd: '0',
    timeoutMs: 1,
  };
}

const opinion = { position: 'approve', argument: 'because', confidence: 0.5 };

describe('an opinion', () => {
  const parse = (more: object, role = 'CISO') =>
    parseCouncilAnswer({ ...opinion, ...more }, { order: order('opinion', role), brief });

  test('raises red lines of its own role alone', () => {
    const lines = { red_lines: [{ rule_id: 'CISO-01', evidenceIds: ['e1'] }] };
    expect(parse(lines).ok).toBe(true);
    expect(parse(lines, 'CFO')).toEqual({
      ok: false,
      faults: ['red_lines: "CISO-01" is not a red line of CFO'],
    });
    expect(parse({ red_lines: [{ rule_id: 'CISO-03' }] }).ok).toBe(false);
  });

  test('cites evidence that is there', () => {
    expect(parse({ evidenceIds: ['facts.security', 'e1'] }).ok).toBe(true);
    expect(parse({ evidenceIds: ['e9', 'e1'] })).toMatchObject({
      ok: true,
      answer: { evidenceIds: ['e1'] },
    });
    expect(parse({ red_lines: [{ rule_id: 'CISO-01', evidenceIds: ['e9'] }] }).ok).toBe(false);
  });

  test('has conditions with an owner that is a role and a date within bounds', () => {
    const condition = { text: 'Do it', owner: 'CIO', due_days: 30 };
    expect(parse({ conditions: [condition] }).ok).toBe(true);
    expect(parse({ conditions: [{ ...condition, owner: 'CEO' }] }).ok).toBe(false);
    expect(parse({ conditions: [{ ...condition, due_days: -1 }] }).ok).toBe(false);
  });
});

test('two questions at most, to roles that sit there, never to oneself', () => {
  const ask = (...to: string[]) =>
    parseCouncilAnswer(
      { questions: to.map((role) => ({ to: role, text: 'Why?' })) },
      { order: order('question', 'CFO'), brief },
    );
  expect(ask('CISO', 'CISO', 'LEGAL').ok).toBe(false);
  expect(ask('CFO').ok).toBe(false);
  expect(ask('RISK')).toMatchObject({
    ok: false,
    faults: [expect.stringContaining('CISO, LEGAL')],
  });
  expect(ask('LEGAL', 'CISO')).toMatchObject({ ok: true, answer: { addressed: ['s2', 's1'] } });
});

test('an answer speaks to who asked, and cites what is there', () => {
  const answers = [{ question_id: 'LEGAL-q1', text: 'So.', evidenceIds: ['e1'] }];
  const facts = { order: order('answer', 'CFO'), brief };
  expect(parseCouncilAnswer({ answers }, facts)).toMatchObject({
    ok: true,
    answer: { addressed: ['s2'], evidenceIds: ['e1'] },
  });
  const [first] = answers;
  const unknown = { answers: [{ ...first, evidenceIds: ['e9'] }] };
  // It stands, and bears no evidence.
  expect(parseCouncilAnswer(unknown, facts)).toMatchObject({
    ok: true,
    answer: { evidenceIds: [] },
  });
});

test('nothing that a model may say throws', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('opinion', 'question', 'answer', 'vote'),
      fc.jsonValue(),
      (phase, value) => {
        expect(parseCouncilAnswer(value, { order: order(phase, 'CFO'), brief })).toHaveProperty(
          'ok',
        );
      },
    ),
  );
});
