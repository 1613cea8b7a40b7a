import { expect, test } from 'vitest';
import type { DataFailure } from '../../../src/domain/data/data-failure.ts';
import type { LlmPort } from '../../../src/domain/llm/llm.ts';
import type { TranslationReport } from '../../../src/domain/translation/report.ts';
import { translationTool } from '../../../src/tools/translation/translation_zh-en.ts';
import { proves } from '../../support/proves.ts';
import { realClock } from '../../support/real-clock.ts';
import { type ScriptedAnswer, type ScriptedLlm, scriptedLlm } from '../../support/scripted-llm.ts';
import { answerOf, contentOf, envelopeFaults, sellTool } from '../../support/sold-tool.ts';

interface Answer {
  readonly data: TranslationReport | null;
  readonly faults: readonly DataFailure[];
  readonly sources: readonly { readonly upstream: string }[];
}

const text = '公司 2026 年营收 3.5亿元，详见 https://example.org/r。\n运行 `npm start`。';
const args = { text, source: 'zh-Hans', target: 'en' };
const GOOD = 'In 2026 the company had revenue of 350 million yuan; see ⟦1⟧.\nRun ⟦2⟧.';
const says = (translation: string): ScriptedAnswer => ({ text: JSON.stringify({ translation }) });

const sell = (llm: LlmPort) =>
  sellTool((trust) => translationTool({ trust, clock: realClock, llm }));

async function bought(llm: ScriptedLlm, over: object = {}) {
  const sold = await sell(llm);
  const outcome = await sold.buy({ ...args, ...over });
  const answer = answerOf<Answer>(sold, outcome);
  expect(envelopeFaults(contentOf(outcome))).toEqual([]);
  return { answer, charged: sold.charged(), outcome };
}

test('Chinese becomes English, with code and addresses as they were and numbers by value', async () => {
  proves('C4.3.t40');
  const llm = scriptedLlm({ say: () => says(GOOD) });
  const { answer, charged } = await bought(llm);
  expect(answer.data).toMatchObject({ quality: 'checked', rounds: 1, cited: ['s1', 's2'] });
  expect(answer.data?.translation).toContain('see https://example.org/r');
  expect(answer.data?.translation).toContain('Run `npm start`.');
  expect(answer.sources.map(({ upstream }) => upstream)).toEqual(['caller', 'openai:gpt-x']);
  expect(charged).toBe(250_000n);
  // The model never saw what it must not change.
  expect(llm.calls[0]?.request.prompt).not.toContain('example.org');
});

test('English becomes Chinese', async () => {
  const llm = scriptedLlm({ say: () => says('共有 12,000 台。') });
  const english = { text: '12,000 units in all.', source: 'en', target: 'zh-Hans' };
  const { answer } = await bought(llm, english);
  expect(answer.data).toMatchObject({ quality: 'checked', target: 'zh-Hans' });
});

test('what a check finds is mended once; what still fails is marked and listed', async () => {
  const wrong = GOOD.replace('350', '35');
  const mending = scriptedLlm({ say: ({ n }) => says(n === 1 ? wrong : GOOD) });
  const mended = await bought(mending);
  expect(mended.answer.data).toMatchObject({ quality: 'checked', rounds: 2 });
  expect(mending.calls[1]?.request.prompt).toContain('350000000');
  const stubborn = await bought(scriptedLlm({ say: () => says(wrong) }));
  expect(stubborn.answer.data).toMatchObject({
    quality: 'needs_review',
    checks: { numbers: { ok: false, missing: ['350000000'], invented: ['35000000'] } },
  });
});

test('a model that gives nothing is followed by the next, and told as a fault', async () => {
  const say = ({ modelId }: { modelId: string }): ScriptedAnswer =>
    modelId === 'openai:gpt-x' ? { failure: 'rate_limited' } : says(GOOD);
  const { answer } = await bought(scriptedLlm({ say }));
  expect(answer.data?.quality).toBe('checked');
  expect(answer.faults).toMatchObject([
    { upstream: 'openai:gpt-x', code: 'rate_limited', retryable: true },
  ]);
});

test.each<[string, ScriptedAnswer, string, boolean]>([
  ['times out', { failure: 'timeout' }, 'upstream_timeout', true],
  ['refuses', { failure: 'refused' }, 'blocked_by_upstream', false],
  ['fails', { failure: 'provider_error' }, 'upstream_unavailable', true],
  ['is cut', { failure: 'cut' }, 'too_large', false],
  ['breaks off', { failure: 'broken' }, 'upstream_unavailable', true],
  ['gives no JSON', { text: 'Sure! Here it is.' }, 'upstream_bad_payload', true],
])(
  'where every model %s, the fault is told and nothing is charged',
  async (_what, say, ...rest) => {
    const [code, retryable] = rest;
    const { answer, charged, outcome } = await bought(scriptedLlm({ say: () => say }));
    expect(outcome).toMatchObject({ kind: 'result', result: { isError: true } });
    expect(answer.data).toBeNull();
    expect(answer.faults[0]).toMatchObject({ code, retryable });
    expect(charged).toBe(0n);
  },
);

test('without a model, or with none that its price pays, it is refused before any payment', async () => {
  const none: LlmPort = {
    models: [],
    complete: () => Promise.reject(new Error('nobody asks')),
    maxCost: () => null,
  };
  expect(contentOf(await (await sell(none)).ask(args))['error']).toBe('NOT_CONFIGURED');
  const dear = scriptedLlm({ say: () => says(GOOD), ceiling: () => '125001' });
  expect(contentOf(await (await sell(dear)).ask(args))['error']).toBe('NOT_CONFIGURED');
  expect(dear.calls).toEqual([]);
});

test('one language twice, or a text beyond its bounds, is refused', async () => {
  const sold = await sell(scriptedLlm({ say: () => says(GOOD) }));
  const wrong = [
    { target: 'zh-Hans' },
    { text: '' },
    { text: 'x'.repeat(6_001) },
    { source: 'fr' },
  ];
  for (const over of wrong) {
    expect(contentOf(await sold.ask({ ...args, ...over }))['error']).toBe('INPUT_INVALID');
  }
});
