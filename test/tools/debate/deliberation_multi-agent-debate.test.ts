import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { DebateRequest } from '../../../src/domain/debate/request.ts';
import { debateTool } from '../../../src/tools/debate/deliberation_multi-agent-debate.ts';
import { getResultTool } from '../../../src/tools/job/get_result.ts';
import { defineTool } from '../../../src/tools/service/define-tool.ts';
import { panelWorld, toolContext } from '../../support/panel-world.ts';
import { proves } from '../../support/proves.ts';
import { type ScriptedCall, scriptedLlm } from '../../support/scripted-llm.ts';
import { drive, poll, refusalOf, stateOf, textOf } from '../../support/tool-answers.ts';

const question = { question: 'Which store?', options: ['Alpha', 'Bravo', 'Charlie'] };
const say = ({ phase, modelId }: ScriptedCall) => {
  const choice = modelId.includes('claude') ? 'o2' : 'o1';
  return phase === 'vote' ? { ranking: [choice] } : { position: choice };
};
const ORDERER = {
  principal: { kind: 'local', id: 'test' },
  paymentId: 'pay_1',
  payer: '0x1',
} as const;
const noModels = () => scriptedLlm({ families: [], say });

test('an open question with no model and no scores names the three ways out', async () => {
  const world = await panelWorld(noModels());
  const tool = debateTool(world.deps());
  const refusal = await refusalOf(() => tool.checkReady?.(DebateRequest.parse(question)));
  expect(refusal.code).toBe('NOT_CONFIGURED');
  expect(refusal.data['ways_out']).toEqual([
    'STOA_LLM_MODELS',
    'seats_by: rules',
    'seats_by: caller',
  ]);
  expect(world.blobs.texts.size).toBe(0);
});

test('mode, families and seats are known', async () => {
  const world = await panelWorld(scriptedLlm({ families: ['gpt', 'claude'], say }));
  const tool = debateTool(world.deps());
  const request = DebateRequest.parse({ ...question, seats: 7 });
  expect(tool.checkReady?.(request)).toEqual({ mode: 'llm', families: 2, seats: 7 });
  const byCaller = DebateRequest.parse({ ...question, seats_by: 'caller' });
  expect(tool.checkReady?.(byCaller)).toEqual({ mode: 'caller', families: 1, seats: 5 });
});

test('a model without a known price does not sit', async () => {
  const ceiling = (modelId: string) => (modelId.includes('gpt') ? null : '20000');
  const world = await panelWorld(scriptedLlm({ say, ceiling }));
  const order = await debateTool(world.deps()).order?.(DebateRequest.parse(question), ORDERER);
  expect(JSON.stringify(order?.input)).not.toContain('gpt');
  const none = await panelWorld(scriptedLlm({ say, ceiling: () => null }));
  const ask = () => debateTool(none.deps()).checkReady?.(DebateRequest.parse(question));
  expect((await refusalOf(ask)).data['models_without_price']).toHaveLength(5);
});

test('a question that no model can take within the budget is refused before payment', async () => {
  // A dollar for 15 turns leaves 66,666 micro-dollars a turn; for 55 turns 18,181.
  const world = await panelWorld(scriptedLlm({ say, ceiling: () => '60000' }));
  const tool = debateTool(world.deps());
  expect(tool.checkReady?.(DebateRequest.parse(question))).toMatchObject({ mode: 'llm' });
  const request = DebateRequest.parse({ ...question, seats: 11, max_rounds: 3 });
  const refusal = await refusalOf(() => tool.checkReady?.(request));
  expect(refusal.code).toBe('NOT_CONFIGURED');
  expect(refusal.data['models_too_dear_for_this_size']).toHaveLength(5);
});

test.each([
  ['double options', { options: ['Alpha', ' alpha'] }, 'options'],
  ['an unknown default for ties', { tie_default: 'Zulu' }, 'tie_default'],
  ['a score without its criterion', { options: [{ name: 'A', scores: { x: 1 } }, 'B'] }, 'scores'],
  ['rules without scores', { seats_by: 'rules' }, 'options'],
  [
    'one missing score',
    {
      seats_by: 'rules',
      criteria: [{ name: 'x' }],
      options: [{ name: 'A', scores: { x: 1 } }, 'B'],
    },
    'options',
  ],
])('%s is refused with what was received and what is allowed', async (_name, given, path) => {
  const world = await panelWorld(noModels());
  const request = DebateRequest.parse({ ...question, ...given });
  const refusal = await refusalOf(() => debateTool(world.deps()).checkReady?.(request));
  expect(refusal.code).toBe('INPUT_INVALID');
  expect(String(refusal.data['path'])).toContain(path);
  expect(refusal.data).toHaveProperty('received');
  expect(refusal.data).toHaveProperty('allowed');
});

test.each([4, 12, 5.5])('%d seats do not fit the schema', (seats) => {
  expect(DebateRequest.safeParse({ ...question, seats }).success).toBe(false);
});

test('the budget of the models is half of the price', async () => {
  const world = await panelWorld(scriptedLlm({ say }));
  const order = await debateTool(world.deps()).order?.(DebateRequest.parse(question), ORDERER);
  expect(order?.input).toMatchObject({ budgetMicroUsd: '1000000', priceMicroUsd: '2000000' });
});

test('the first line is the decision, the second the votes and a reason, the transcript last', async () => {
  const world = await panelWorld(scriptedLlm({ say }));
  const jobId = await world.start();
  const { context } = toolContext({ jobId });
  const run = debateTool(world.deps()).run(DebateRequest.parse(question), context);
  const result = await drive(world, run);
  expect(textOf(result).split('\n').slice(0, 5)).toEqual([
    'Decision: Alpha (by majority of first choices)',
    'Why: Alpha 4, Bravo 1, Charlie 0 (5 of 5 ballots, quorum 3); seat A: "because of vote"',
    'Decided by: 5 seats, 5 families, mode llm',
    'Cost: $2.00; models $0.015 of at most $1.00',
    'Dissent: seat B for Bravo: "because of vote"',
  ]);
  expect(textOf(result).trim().split('\n').at(-1)).toContain(
    `Proof: Transcript: panel://${jobId}/transcript (Merkle root `,
  );
  expect(result.content[1]).toMatchObject({ uri: `panel://${jobId}/transcript` });
  expect(stateOf(result).status).toBe('decided');
  expect(result.isError).toBeUndefined();
});

test('progress begins at once, grows with every line, and breaks a long silence', async () => {
  let isHung = true;
  const llm = scriptedLlm({
    say: (call) => (isHung && call.modelId.includes('gpt') ? 'hang' : say(call)),
  });
  const world = await panelWorld(llm);
  const jobId = await world.start({ deadline_s: 200, max_rounds: 0 });
  const { context, told } = toolContext({ jobId });
  const request = DebateRequest.parse({ ...question, wait_s: 300 });
  const run = debateTool(world.deps()).run(request, context);
  await world.clock.advance(0);
  expect(told[0]).toMatchObject({ progress: 0, total: 10 });
  await world.clock.advance(46_000);
  isHung = false;
  await drive(world, run);
  const numbers = told.map((step) => step.progress);
  expect([...numbers].sort((left, right) => left - right)).toEqual(numbers);
  expect(new Set(numbers).size).toBe(numbers.length);
  expect(numbers.at(-1)).toBe(10);
  const messages = told.map((step) => step.message);
  expect(messages).toContain('opening · seat B: Bravo · 1/10 turns · $0.001 of $1.00');
  expect(messages.filter((message) => message.startsWith('still working')).length).toBe(10);
  expect(messages.every((message) => message.length <= 200)).toBe(true);
});

test('what is not finished in time is answered with the job id, and goes on', async () => {
  let isHung = true;
  const world = await panelWorld(scriptedLlm({ say: (call) => (isHung ? 'hang' : say(call)) }));
  const jobId = await world.start();
  const { context } = toolContext({ jobId });
  const request = DebateRequest.parse({ ...question, wait_s: 5 });
  const early = await drive(world, debateTool(world.deps()).run(request, context));
  expect(stateOf(early)).toMatchObject({ status: 'working', job_id: jobId });
  expect(stateOf(early).poll_after_ms).toBeGreaterThan(0);
  expect(textOf(early)).toContain(`job_id ${jobId}`);
  isHung = false;
  await world.restart();
  const tool = getResultTool(world.deps());
  const late = await drive(
    world,
    tool.run({ job_id: jobId, wait_s: 60, cancel: false }, toolContext().context),
  );
  expect(stateOf(late).status).toBe('decided');
});

test('a caller who hangs up is detached and the debate is decided without it', async () => {
  const gone = new AbortController();
  let isHung = true;
  const world = await panelWorld(scriptedLlm({ say: (call) => (isHung ? 'hang' : say(call)) }));
  const jobId = await world.start();
  const { context } = toolContext({ jobId, signal: gone.signal });
  const run = debateTool(world.deps()).run(DebateRequest.parse(question), context);
  await world.clock.advance(1_000);
  gone.abort();
  await drive(world, run);
  isHung = false;
  expect(await world.context(jobId)).toMatchObject({ detached: true });
  await world.restart();
  await world.finish(jobId);
  expect(await world.paid()).toEqual([{ type: 'WORK.DONE' }]);
});

test('the example question is decided by eleven procedures', async () => {
  const example: unknown = JSON.parse(readFileSync('examples/debate-question.json', 'utf8'));
  const request = DebateRequest.parse({ ...(example as object), seats: 11, seats_by: 'rules' });
  const world = await panelWorld(noModels());
  const jobId = await world.start(request);
  const view = await world.finish(jobId);
  expect(view.value).toBe('decided');
});

test.each([5, 6, 11])('a panel of %d agents always names a winner', async (seats) => {
  proves('C4.3.t12');
  const families = Array.from({ length: 11 }, (_, n) => `family${String.fromCharCode(97 + n)}`);
  const spread = ({ phase, modelId }: ScriptedCall) => {
    const choice = `o${(modelId.charCodeAt(modelId.length - 3) % 3) + 1}`;
    return phase === 'vote' ? { ranking: [choice] } : { position: choice };
  };
  const world = await panelWorld(scriptedLlm({ families, say: spread }));
  const jobId = await world.start({ seats });
  await world.finish(jobId);
  const state = stateOf(await poll(world, jobId));
  expect(state).toMatchObject({ status: 'decided', seats, families: seats });
  expect(state.result?.winner).not.toBeNull();
  const isEven = state.result?.limits.some((limit) => limit.includes('even number'));
  expect(isEven).toBe(seats === 6);
});

test('both tools have schemas that a client can read', () => {
  const llm = scriptedLlm({ say });
  const deps = { llm } as unknown as Parameters<typeof debateTool>[0];
  for (const tool of [defineTool(debateTool(deps)), defineTool(getResultTool(deps))]) {
    const schema = (shape: z.ZodType, io: 'input' | 'output') =>
      z.toJSONSchema(shape, { target: 'draft-7', io, unrepresentable: 'throw' });
    expect(schema(tool.input, 'input')).toMatchObject({ type: 'object' });
    expect(schema(tool.output, 'output')).toMatchObject({ type: 'object' });
  }
});
