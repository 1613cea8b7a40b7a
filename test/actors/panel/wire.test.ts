import { afterEach, expect, test } from 'vitest';
import { prepareDebate } from '../../../src/actors/debate/debate-order.ts';
import { definePanels } from '../../../src/actors/panel/panels.ts';
import { DebateRequest } from '../../../src/domain/debate/request.ts';
import { createLlm } from '../../../src/providers/llm/create-llm.ts';
import { createEngine } from '../../../src/runtime/engine/engine.ts';
import { memoryStore } from '../../../src/runtime/store/memory-store.ts';
import { systemClock } from '../../../src/runtime/timer/clock.ts';
import { memoryBlobs } from '../../support/debate.ts';
import {
  type DoubleScript,
  type LlmDouble,
  startLlmDouble,
  steadyScript,
  turnAnswer,
} from '../../support/llm-double.ts';
import { readPanel } from '../../support/read-panel.ts';

const HANG_GUARD_MS = 60_000;
const MODELS = ['openai:gpt-5-mini', 'anthropic:claude-double', 'openai:gpt-4o-mini'];

let double: LlmDouble | undefined;
afterEach(async () => {
  await double?.stop();
  double = undefined;
});

/** Plays a debate over both wire protocols, with the real clients and the real clock. */
async function play(script: DoubleScript, request: object = {}) {
  double = await startLlmDouble({ script });
  const clock = systemClock();
  const models = double.models(...MODELS);
  // The price table knows the vendors' own addresses only.
  const prices = MODELS.map((modelId) => `${modelId}=0.5/2`).join(',');
  const llm = createLlm({ models, prices, keys: () => 'key', clock });
  const blobs = memoryBlobs();
  const random = { bytes: (length: number) => new Uint8Array(length).fill(3) };
  const definitions = [...definePanels({ llm, blobs })];
  const engine = await createEngine({ store: memoryStore(), clock, definitions });
  const parsed = DebateRequest.parse({
    question: 'Which store should hold the events?',
    options: ['Alpha', 'Bravo', 'Charlie'],
    ...request,
  });
  const { order } = await prepareDebate({ llm, blobs, random }, parsed, '2000000');
  await engine.create(order.kind, 'job_1', { ...order.input, jobId: 'job_1' });
  const isOver = ({ status }: { status: string }) => status !== 'active';
  await engine.waitFor('job_1', isOver, { timeoutMs: HANG_GUARD_MS });
  const state = await readPanel({ engine, blobs }, 'job_1');
  await engine.close();
  return { state, turns: double.turns };
}

test('a panel decides over both wire protocols, and the cost is that of the tokens', async () => {
  const { state, turns } = await play((turn) => ({
    answer: turnAnswer(turn, turn.model.includes('claude') ? 'o2' : 'o1'),
    usage: { input: 1_000, output: 100 },
  }));
  expect(state.result).toMatchObject({ outcome: 'decided', winner: { name: 'Alpha' } });
  expect(state).toMatchObject({ mode: 'llm', families: 2, turns_done: 15 });
  expect(turns).toHaveLength(15);
  expect(state.cost.unpriced_turns).toBe(0);
  // 15 turns of 1,000 tokens in at $0.50 and 100 out at $2.00 a million.
  expect(state.cost.spent.micro_usd).toBe('10500');
});

test('the other vendor stands in for one that is down', async () => {
  const { state } = await play((turn) =>
    turn.model.includes('claude') ? { status: 500 } : steadyScript(turn),
  );
  expect(state.status).toBe('decided');
  expect(state).toMatchObject({ families: 1 });
  expect(state.result?.tally).toMatchObject({ cast: 5, seats: 5 });
});

test('malformed answers are repaired once, over both protocols', async () => {
  const seen = new Set<string>();
  const { state, turns } = await play((turn) => {
    const key = `${turn.model} ${turn.phase}`;
    const isFirst = turn.phase === 'opening' && !seen.has(key);
    seen.add(key);
    return isFirst ? { text: '{"position": ' } : { answer: turnAnswer(turn, 'o1') };
  });
  expect(state.status).toBe('decided');
  expect(state.result?.tally?.cast).toBe(5);
  expect(turns.filter((turn) => turn.prompt.includes('did not fit the form'))).toHaveLength(3);
});
