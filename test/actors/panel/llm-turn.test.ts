import { expect, test } from 'vitest';
import { readTranscript } from '../../../src/actors/panel/panel-state.ts';
import { createNameRedactor, identifyingNames } from '../../../src/actors/panel/turn-prompt.ts';
import type { Turn } from '../../../src/domain/panel/records.ts';
import { briefWith } from '../../support/debate.ts';
import { panelWorld } from '../../support/panel-world.ts';
import { readPanel } from '../../support/read-panel.ts';
import { type ScriptedAnswer, type ScriptedCall, scriptedLlm } from '../../support/scripted-llm.ts';

function fine({ phase }: ScriptedCall): ScriptedAnswer {
  return phase === 'vote' ? { ranking: ['o1'] } : { position: 'o1' };
}

/** Runs a debate in which the first model misbehaves in its opening, and gives that turn. */
async function openingOf(odd: (call: ScriptedCall) => ScriptedAnswer) {
  const llm = scriptedLlm({
    say: (call) =>
      call.modelId.includes('gpt') && call.phase === 'opening' ? odd(call) : fine(call),
  });
  const world = await panelWorld(llm);
  const jobId = await world.start();
  await world.finish(jobId);
  const { turns } = await world.context(jobId);
  const turn = turns.find(({ turnId }) => turnId === 'job_1/opening/0/s0') as Turn;
  return { turn, llm, world };
}

test('an answer that does not fit is asked for once more, with its faults', async () => {
  const { turn, llm } = await openingOf(({ n }) =>
    n === 1 ? { position: 'o9' } : { position: 'o2' },
  );
  expect(turn).toMatchObject({ status: 'ok', position: 'o2', attempts: 2, costMicroUsd: '2000' });
  expect(turn.usage).toMatchObject({ input: 200, output: 100 });
  const repair = llm.calls.filter((call) => call.modelId.includes('gpt'))[1];
  expect(repair?.request.prompt).toContain('is none of o1, o2, o3');
});

test('an answer that never fits is an invalid turn whose usage and cost stay known', async () => {
  const { turn } = await openingOf(() => ({ text: 'I would rather not say.' }));
  expect(turn).toMatchObject({
    status: 'invalid',
    attempts: 2,
    costMicroUsd: '2000',
    detail: 'the text holds no JSON object',
  });
  expect(turn.position).toBeUndefined();
});

test.each(['refused', 'aborted'] as const)(
  'a model that ends with %s makes a turn of that status, and nobody stands in',
  async (failure) => {
    const { turn } = await openingOf(() => ({ failure }));
    expect(turn).toMatchObject({ status: failure, attempts: 1, costMicroUsd: '1000' });
    expect(turn.answeredBy).toBeUndefined();
  },
);

const SILENT = ['timeout', 'rate_limited', 'provider_error', 'cut', 'broken'] as const;

test.each(SILENT)('a model that ends with %s is replaced for this turn', async (failure) => {
  const { turn } = await openingOf(() => ({ failure }));
  expect(turn).toMatchObject({ status: 'ok', position: 'o1', attempts: 2, costMicroUsd: '2000' });
  expect(turn.answeredBy?.model).not.toContain('gpt');
});

test.each([
  ['timeout', 'timeout'],
  ['cut', 'provider_error'],
] as const)('where nobody can stand in, %s makes a turn of status %s', async (failure, status) => {
  const llm = scriptedLlm({
    families: ['gpt'],
    say: (call) => (call.phase === 'opening' && call.n === 1 ? { failure } : fine(call)),
  });
  const world = await panelWorld(llm);
  const jobId = await world.start();
  await world.finish(jobId);
  const { turns } = await world.context(jobId);
  const first = turns.find(({ turnId }) => turnId === 'job_1/opening/0/s0');
  expect(first).toMatchObject({ status, attempts: 1, costMicroUsd: '1000' });
});

test('a call without a known price counts as unpriced, never as free', async () => {
  const llm = scriptedLlm({
    say: fine,
    cost: ({ modelId }) => (modelId.includes('gpt') ? null : '1000'),
  });
  const world = await panelWorld(llm);
  const jobId = await world.start();
  await world.finish(jobId);
  const { cost, result } = await readPanel(world.deps(), jobId);
  expect(cost).toMatchObject({ unpriced_turns: 2, spent: { micro_usd: '8000' } });
  expect(result?.limits.join(' ')).toContain('2 turns are of models without a known price');
});

test('prompt, answer and argument of a turn are kept under their hashes', async () => {
  const { turn, world } = await openingOf(fine);
  expect(world.blobs.get(turn.promptSha)).toContain('Your opening. Nobody has spoken yet.');
  expect(JSON.parse(world.blobs.get(turn.outputSha) ?? '')).toMatchObject({ position: 'o1' });
  expect(world.blobs.get(turn.argumentSha ?? '')).toBe('because of opening');
});

test('a port that throws costs the seat its turn and nothing else', async () => {
  const llm = scriptedLlm({
    say: (call) => {
      if (call.modelId.includes('gpt')) throw new Error('a fault of the port');
      return fine(call);
    },
  });
  const world = await panelWorld(llm);
  const jobId = await world.start();
  await world.finish(jobId);
  const { turns, outcome } = await world.context(jobId);
  expect(outcome).toBe('decided');
  expect(turns.filter((turn) => turn.status === 'provider_error')).toHaveLength(2);
});

test('when nothing can be sealed the debate fails, is readable, and the price goes back', async () => {
  const world = await panelWorld(scriptedLlm({ say: fine }));
  const put = world.blobs.put;
  world.blobs.put = (text) =>
    text.includes('"format":"stoa.panel/1"') ? Promise.reject(new Error('disk')) : put(text);
  const jobId = await world.start();
  await world.finish(jobId);
  const { status, result } = await readPanel(world.deps(), jobId);
  expect(status).toBe('failed');
  expect(result).toMatchObject({ outcome: 'failed', winner: null, transcript_root: null });
  expect(result?.refund?.micro_usd).toBe('2000000');
  expect((await readTranscript(world.deps(), jobId)).turns).toHaveLength(10);
  expect(await world.paid()).toEqual([
    { type: 'WORK.FAILED', reason: 'The result could not be written.' },
  ]);
});

test('names of models are taken out of arguments before another seat reads them', async () => {
  const llm = scriptedLlm({
    say: (call) => {
      if (call.phase === 'vote') return { ranking: ['o1'] };
      const place = call.modelId.length % 2;
      return {
        position: place === 0 ? 'o1' : 'o2',
        argument: `As GPT-x of OpenAI, like Claude: no`,
      };
    },
  });
  const world = await panelWorld(llm);
  await world.finish(await world.start());
  const later = llm.calls.filter((call) => call.phase !== 'opening');
  expect(later.length).toBeGreaterThan(5);
  for (const { request } of later) {
    expect(request.prompt).toContain('As [a member] of [a member], like [a member]: no');
    expect(`${request.system} ${request.prompt}`).not.toMatch(/gpt|openai|claude|llama|qwen/i);
  }
});

test('names that the question itself is about stay', () => {
  const { models } = scriptedLlm({ say: fine });
  const brief = briefWith({ question: 'Should we buy Claude or Mistral?' });
  const names = identifyingNames(models, brief);
  expect(names).not.toContain('claude');
  expect(createNameRedactor(names)('Claude beats GPT; mistrals do not')).toBe(
    'Claude beats [a member]; mistrals do not',
  );
});
