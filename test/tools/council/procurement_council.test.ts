import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { CouncilRequest } from '../../../src/domain/council/request.ts';
import { CouncilState } from '../../../src/domain/council/result.ts';
import { ROLE_NAMES } from '../../../src/domain/council/roles.ts';
import { DebateRequest } from '../../../src/domain/debate/request.ts';
import { councilTool } from '../../../src/tools/council/procurement_council.ts';
import { councilRequest, goodFacts, startCouncil } from '../../support/council.ts';
import { panelWorld, toolContext } from '../../support/panel-world.ts';
import { proves } from '../../support/proves.ts';
import { type ScriptedCall, scriptedLlm } from '../../support/scripted-llm.ts';
import { drive, poll, refusalOf, textOf } from '../../support/tool-answers.ts';

const noModels = () => scriptedLlm({ families: [], say: () => 'hang' });
const open = { vendor: 'Acme', product: 'a ticket system' };

test('an open brief with no model names the three ways out, and nothing is kept', async () => {
  const world = await panelWorld(noModels());
  const tool = councilTool(world.deps());
  for (const facts of [undefined, {}, { security: {} }]) {
    const refusal = await refusalOf(() =>
      tool.checkReady?.(CouncilRequest.parse({ ...open, facts })),
    );
    expect(refusal.code).toBe('NOT_CONFIGURED');
    expect(refusal.data['ways_out']).toEqual([
      'STOA_LLM_MODELS',
      'seats_by: rules',
      'seats_by: caller',
    ]);
  }
  expect(world.blobs.texts.size).toBe(0);
});

test('mode, families and seats are known before any payment', async () => {
  const bare = councilTool((await panelWorld(noModels())).deps());
  expect(bare.checkReady?.(councilRequest())).toEqual({
    mode: 'rules_only',
    families: 1,
    seats: 5,
  });
  const say = () => ({ position: 'approve' });
  const models = scriptedLlm({ families: ['gpt', 'claude'], say });
  const tool = councilTool((await panelWorld(models)).deps());
  expect(tool.checkReady?.(councilRequest({ seats: 9 }))).toEqual({
    mode: 'llm',
    families: 2,
    seats: 9,
  });
});

test.each([
  ['checklists without facts', { facts: undefined, seats_by: 'rules' }, 'facts'],
  [
    'an id that stands twice',
    {
      evidence: [
        { id: 'a', text: 'x' },
        { id: 'a', text: 'y' },
      ],
    },
    'evidence',
  ],
  ['an id that code gives', { evidence: [{ id: 'facts.money', text: 'x' }] }, 'evidence'],
  [
    'a price after the term',
    {
      facts: {
        money: {
          term_years: 2,
          prices: [{ name: 'x', kind: 'one_off', amount_usd: '1', from_year: 3 }],
        },
      },
    },
    'facts.money.prices.0',
  ],
  [
    'savings that end before they begin',
    { facts: { money: { savings: [{ name: 'x', amount_usd: '1', from_year: 3, to_year: 2 }] } } },
    'facts.money.savings.0',
  ],
])('%s is refused with what was received and what is allowed', async (_name, given, path) => {
  const world = await panelWorld(noModels());
  const refusal = await refusalOf(() =>
    councilTool(world.deps()).checkReady?.(councilRequest(given)),
  );
  expect(refusal.code).toBe('INPUT_INVALID');
  expect(refusal.data).toMatchObject({
    path,
    received: expect.anything(),
    allowed: expect.anything(),
  });
});

test.each([
  ['a float for money', { facts: { money: { budget_usd: 12.5 } } }],
  ['seven places', { facts: { money: { budget_usd: '1.1234567' } } }],
  [
    'a negative price',
    { facts: { money: { prices: [{ name: 'x', kind: 'one_off', amount_usd: '-1' }] } } },
  ],
  ['a fact without a name here', { facts: { security: { firewall: true } } }],
  ['a veto of a role without red lines', { policy: { veto: ['CIO'] } }],
  ['four seats', { seats: 4 }],
  ['twelve seats', { seats: 12 }],
  ['a day that does not exist', { start_date: '2026-02-30' }],
])('%s does not fit the schema', (_name, given) => {
  expect(CouncilRequest.safeParse({ ...open, ...given }).success).toBe(false);
});

test('the example brief is decided by eleven checklists', async () => {
  const example: unknown = JSON.parse(readFileSync('examples/council-brief.json', 'utf8'));
  const world = await panelWorld(noModels());
  const jobId = await startCouncil(world, { ...(example as object), seats: 11 });
  const view = await world.finish(jobId);
  expect(view.value).toBe('decided');
  const { result } = CouncilState.parse((await poll(world, jobId)).structuredContent);
  expect(result?.wrong_numbers.map(({ figure }) => figure)).toEqual(['tco']);
});

test('the answer says decision, votes, figures, red lines, conditions, tally, dissent and gaps', async () => {
  const world = await panelWorld(noModels());
  const facts = {
    ...goodFacts(),
    security: { ...goodFacts().security, mfa: false },
    stated: { tco_usd: '1000' },
  };
  const jobId = await startCouncil(world, { facts });
  const { context } = toolContext({ jobId });
  const tool = councilTool(world.deps());
  const result = await drive(world, tool.run(councilRequest({ facts }), context));
  const lines = textOf(result).split('\n');
  expect(lines[1]).toMatch(/^Why: .* ballots, quorum .*; \w+: "/);
  expect([lines[0], ...lines.slice(4, 9)]).toEqual([
    'Decision: Approve with conditions (by majority of first choices), instead of approve: red line CISO-01',
    'Recomputed: total cost $140001.50, payback 5 months, remaining budget $49998.50',
    'Wrong number: tco is stated as 1000.00 USD; recomputed: 140001.50 USD',
    'Red line CISO-01: Multi-factor sign-in for all users: multi-factor sign-in: no',
    'Condition: "The vendor enforces multi-factor sign-in for all users" (CISO, by 2026-01-01)',
    'Condition: "Correct the stated figures before the contract is signed" (CFO, by 2026-01-01)',
  ]);
  expect(textOf(result)).toContain('Dissent: CISO for Reject: "CISO-01 fail');
  expect(CouncilState.parse(result.structuredContent).status).toBe('decided');
});

test('progress names roles, and is told on every turn', async () => {
  const world = await panelWorld(noModels());
  const jobId = await startCouncil(world);
  const { context, told } = toolContext({ jobId });
  await drive(world, councilTool(world.deps()).run(councilRequest(), context));
  const messages = told.map(({ message }) => message);
  expect(messages).toContain('opinion · CFO: Approve · 1/10 turns');
  expect(messages.at(-1)).toBe('vote · LEGAL: has voted · 10/10 turns');
});

test.each([5, 8, 11])(
  '%d roles sit, the first of them CFO, CIO, CISO and procurement',
  async (seats) => {
    proves('C4.3.t25');
    const families = ROLE_NAMES.map((role) => `family${role.toLowerCase()}`);
    const say = ({ phase }: ScriptedCall) => {
      if (phase === 'vote') return { ranking: ['approve'] };
      return phase === 'question' ? { questions: [] } : { position: 'approve' };
    };
    const world = await panelWorld(scriptedLlm({ families, say }));
    const jobId = await startCouncil(world, { seats });
    await world.finish(jobId);
    const { result } = CouncilState.parse((await poll(world, jobId)).structuredContent);
    expect(result?.outcome).toBe('decided');
    expect(result?.seats.map(({ role }) => role)).toEqual(ROLE_NAMES.slice(0, seats));
    expect(ROLE_NAMES.slice(0, 4)).toEqual(['CFO', 'CIO', 'CISO', 'PROCUREMENT']);
  },
);

test('debates and councils seat 5 to 11', () => {
  proves('C8.t5');
  const sizes = Array.from({ length: 14 }, (_, seats) => seats);
  const fitting = (parse: (seats: number) => boolean) => sizes.filter(parse);
  const question = { question: 'Which?', options: ['A', 'B'] };
  const wanted = [5, 6, 7, 8, 9, 10, 11];
  expect(fitting((seats) => CouncilRequest.safeParse({ ...open, seats }).success)).toEqual(wanted);
  expect(fitting((seats) => DebateRequest.safeParse({ ...question, seats }).success)).toEqual(
    wanted,
  );
});

test('the caller’s own agent fills the roles', async () => {
  const world = await panelWorld(noModels());
  const jobId = await startCouncil(world, { seats_by: 'caller', facts: undefined });
  await world.clock.advance(0);
  const bring = async (answer: (turnId: string) => object) => {
    const state = CouncilState.parse((await poll(world, jobId)).structuredContent);
    const turns = (state.needs_turns ?? []).map(({ turn_id }) => ({
      turn_id,
      answer: answer(turn_id),
    }));
    await poll(world, jobId, turns);
    await world.clock.advance(0);
    return turns.map(({ turn_id }) => turn_id);
  };
  const stand = { position: 'Reject', argument: 'a', confidence: 0.5 };
  expect(await bring(() => stand)).toHaveLength(5);
  const asked = await bring((id) => ({
    questions: id === 'question.1.s0' ? [{ to: 'LEGAL', text: 'Is there a contract?' }] : [],
  }));
  expect(asked).toHaveLength(5);
  const answers = [{ question_id: 'CFO-q1', text: 'Not shown.' }];
  expect(await bring(() => ({ answers }))).toEqual(['answer.1.s4']);
  await bring(() => ({ ranking: ['reject'], argument: 'v', confidence: 1 }));
  const { result } = CouncilState.parse((await poll(world, jobId)).structuredContent);
  expect(result).toMatchObject({ mode: 'caller', winner: { option_id: 'reject' } });
  expect(result?.questions).toMatchObject([{ answer: 'Not shown.', is_supported: false }]);
  expect(result?.evidence_gaps.map(({ text }) => text)).toContain(
    'without evidence: Is there a contract?',
  );
});
