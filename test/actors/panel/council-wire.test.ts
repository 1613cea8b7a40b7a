import { afterEach, expect, test } from 'vitest';
import { prepareCouncil } from '../../../src/actors/council/council-order.ts';
import { definePanels } from '../../../src/actors/panel/panels.ts';
import { CouncilState } from '../../../src/domain/council/result.ts';
import { createLlm } from '../../../src/providers/llm/create-llm.ts';
import { createEngine } from '../../../src/runtime/engine/engine.ts';
import { memoryStore } from '../../../src/runtime/store/memory-store.ts';
import { systemClock } from '../../../src/runtime/timer/clock.ts';
import { COUNCIL_PRICE, councilRequest } from '../../support/council.ts';
import { memoryBlobs } from '../../support/debate.ts';
import {
  type DoubleReply,
  type DoubleScript,
  type LlmDouble,
  startLlmDouble,
} from '../../support/llm-double.ts';
import { readPanel } from '../../support/read-panel.ts';

const MODELS = ['openai:gpt-5-mini', 'anthropic:claude-double', 'openai:gpt-4o-mini'];

let double: LlmDouble | undefined;
afterEach(async () => {
  await double?.stop();
  double = undefined;
});

/** Answers each phase of a council, all for the same option. */
function steady(prompt: string): DoubleReply {
  const common = { argument: 'CISO-01 holds.', confidence: 0.7 };
  if (/^Your opinion\./m.test(prompt)) {
    const condition = { text: 'Rotate keys', owner: 'CISO', due_days: 30 };
    const rest = { conditions: [condition], red_lines: [], gaps: ['Who answers at night?'] };
    return { answer: { position: 'approve', ...common, evidenceIds: ['facts.money'], ...rest } };
  }
  if (/^Cross-examination\./m.test(prompt)) {
    return { answer: { questions: [{ to: 'LEGAL', text: 'Is it signed?' }] } };
  }
  if (/^Answer your questions/m.test(prompt)) {
    const ids = [...prompt.matchAll(/kind="question_to_you" id="([^"]+)"/g)].map(([, id]) => id);
    const said = { text: 'It is.', evidenceIds: ['facts.data'] };
    return { answer: { answers: ids.map((question_id) => ({ question_id, ...said })) } };
  }
  return { answer: { ranking: ['approve', 'defer'], ...common } };
}

async function play(script: DoubleScript) {
  double = await startLlmDouble({ script });
  const clock = systemClock();
  // The price table knows the vendors' own addresses only.
  const prices = MODELS.map((modelId) => `${modelId}=0.5/2`).join(',');
  const llm = createLlm({ models: double.models(...MODELS), prices, keys: () => 'key', clock });
  const blobs = memoryBlobs();
  const random = { bytes: (length: number) => new Uint8Array(length).fill(3) };
  const engine = await createEngine({
    store: memoryStore(),
    clock,
    definitions: [...definePanels({ llm, blobs })],
  });
  const order = await prepareCouncil(
    { llm, blobs, random, clock },
    councilRequest(),
    COUNCIL_PRICE,
  );
  await engine.create(order.kind, 'job_1', { ...order.input, jobId: 'job_1' });
  const isOver = ({ status }: { readonly status: string }) => status !== 'active';
  await engine.waitFor('job_1', isOver, { timeoutMs: 20_000 });
  const state = CouncilState.parse(await readPanel({ engine, blobs }, 'job_1'));
  await engine.close();
  return { state, turns: double.turns };
}

test('a council of models over both wire protocols asks, answers, decides and counts its cost', async () => {
  const { state, turns } = await play(({ prompt }) => steady(prompt));
  expect(state).toMatchObject({ status: 'decided', mode: 'llm', families: 2 });
  // LEGAL cannot ask itself: its questions do not fit, are asked for once more, and it is left out.
  expect(state.result?.questions.map(({ from, is_supported }) => [from, is_supported])).toEqual(
    ['CFO', 'CIO', 'CISO', 'PROCUREMENT'].map((role) => [role, true]),
  );
  expect(state.result).toMatchObject({
    winner: { option_id: 'approve' },
    conditions: [{ text: 'Rotate keys', owner: 'CISO' }],
  });
  expect(turns).toHaveLength(5 + 6 + 1 + 5);
  expect(state.cost.spent.micro_usd).toBe(String(17 * 700));
});

test('the other vendor stands in for one that is down, and the result says so', async () => {
  const { state } = await play(({ model, prompt }) =>
    model.includes('claude') ? { status: 500 } : steady(prompt),
  );
  expect(state.status).toBe('decided');
  expect(state.result?.tally).toMatchObject({ cast: 5, seats: 5 });
  expect(state).toMatchObject({ families: 1 });
  expect(state.result?.limits.join(' ')).toMatch(
    /Seat B is anthropic:\S+ and was answered by openai:/,
  );
});
