import { afterEach, expect, test } from 'vitest';
import { parseAnswer } from '../../src/domain/debate/panel.ts';
import { buildTurnPrompt } from '../../src/domain/debate/prompt.ts';
import { parseText } from '../../src/domain/panel/answer.ts';
import { createLlm } from '../../src/providers/llm/create-llm.ts';
import { type LlmDouble, startLlmDouble, turnAnswer } from './llm-double.ts';
import { realClock } from './real-clock.ts';

let double: LlmDouble | undefined;
afterEach(() => double?.stop());

const brief = {
  question: 'Which database?',
  options: [
    { optionId: 'o0', name: 'Postgres' },
    { optionId: 'o1', name: 'SQLite' },
    { optionId: 'o2', name: 'LMDB' },
  ],
  criteria: [],
  evidence: [],
};

async function ask(modelId: string, phase: 'opening' | 'rebuttal' | 'vote') {
  const order = { phase, round: 1, seed: 'x', seatId: 's0' } as never;
  const { system, prompt, schema } = buildTurnPrompt(order, brief, () => '');
  const models = double?.models('openai:gpt-4o', 'anthropic:claude-x') ?? '';
  const prices = double?.prices('openai:gpt-4o', 'anthropic:claude-x') ?? '';
  const llm = createLlm({ models, prices, keys: () => undefined, clock: realClock });
  const reply = await llm.complete({
    modelId,
    system,
    prompt,
    schema,
    maxOutputTokens: 400,
    timeoutMs: 3_000,
    signal: new AbortController().signal,
  });
  const rules = { phase, options: brief.options, evidence: [] };
  return {
    reply,
    parsed: reply.ok ? parseText(reply.text, (value) => parseAnswer(value, rules)) : undefined,
  };
}

test.each(['openai:gpt-4o', 'anthropic:claude-x'])(
  'the double answers %s in every phase as the panel’s own parser wants it',
  async (modelId) => {
    double = await startLlmDouble();
    for (const phase of ['opening', 'rebuttal', 'vote'] as const) {
      const { parsed } = await ask(modelId, phase);
      expect(parsed).toMatchObject({ ok: true });
    }
    expect(double.turns.map((turn) => [turn.phase, turn.nth])).toEqual([
      ['opening', 0],
      ['rebuttal', 1],
      ['vote', 2],
    ]);
    expect(double.turns[0]?.optionIds).toEqual(['o0', 'o1', 'o2']);
  },
);

test('a script decides answer, usage and error per turn', async () => {
  double = await startLlmDouble({
    script: (turn) =>
      turn.nth === 0
        ? { answer: turnAnswer(turn, 'o2'), usage: { input: 5, output: 6 } }
        : { status: 401 },
  });
  const first = await ask('openai:gpt-4o', 'opening');
  expect(first.parsed).toMatchObject({ answer: { position: 'o2' } });
  expect(first.reply).toMatchObject({
    usage: { input: 5, output: 6, source: 'provider' },
    costMicroUsd: '17',
    priceSource: 'operator',
  });
  const second = await ask('openai:gpt-4o', 'vote');
  expect(second.reply).toMatchObject({ ok: false, failure: 'provider_error' });
});
