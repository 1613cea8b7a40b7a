import { expect, onTestFinished, test } from 'vitest';
import type { DataFailure } from '../../../src/domain/data/data-failure.ts';
import type { TranslationReport } from '../../../src/domain/translation/report.ts';
import { createLlm } from '../../../src/providers/llm/create-llm.ts';
import { translationTool } from '../../../src/tools/translation/translation_zh-en.ts';
import { httpLoopback } from '../../support/loopback.ts';
import { realClock } from '../../support/real-clock.ts';
import { answerOf, contentOf, envelopeFaults, sellTool } from '../../support/sold-tool.ts';
import { FAULT_ANSWERS } from '../../support/upstreams/fault-answers.ts';
import { answerFault, FAULTS, type UpstreamFault } from '../../support/upstreams/fault-dial.ts';
import { hurriedClock } from '../../support/upstreams/hurried-clock.ts';

interface Answer {
  readonly data: TranslationReport | null;
  readonly faults: readonly DataFailure[];
}

/** A streamed answer in the wire format of the vendor. */
const STREAM = [
  { delta: { role: 'assistant', content: JSON.stringify({ translation: '12,000 units.' }) } },
  { delta: {}, finish_reason: 'stop' },
]
  .map((choice) => ({
    id: 'c',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index: 0, finish_reason: null, ...choice }],
  }))
  .map((event) => `data: ${JSON.stringify(event)}\n\n`)
  .concat('data: [DONE]\n\n')
  .join('');

async function bought(fault?: UpstreamFault) {
  const server = await httpLoopback((_request, response) => {
    if (fault !== undefined) {
      answerFault(fault, response, STREAM, 'text/event-stream');
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(STREAM);
  });
  onTestFinished(server.close);
  // Forty seconds are one where only a wait ends it; a busy machine needs more for the others.
  const isWaited = fault === 'hang' || fault === 'slow_drip' || fault === 'rate_limit';
  const clock = hurriedClock(isWaited ? 40 : 2);
  const llm = createLlm({
    models: `openai:m@${server.url}/v1`,
    prices: 'openai:m=0.1/0.1',
    clock,
    keys: () => undefined,
  });
  const sold = await sellTool((trust) => translationTool({ trust, clock: realClock, llm }));
  const outcome = await sold.buy({ text: '共有 12,000 台。', source: 'zh-Hans', target: 'en' });
  expect(envelopeFaults(contentOf(outcome))).toEqual([]);
  return {
    answer: answerOf<Answer>(sold, outcome),
    charged: sold.charged(),
    outcome,
    hits: server.hits,
  };
}

test('a sound stream is a translation', async () => {
  const { answer, charged } = await bought();
  expect([answer.data?.translation, charged]).toEqual(['12,000 units.', 250_000n]);
});

/** What is asked of a model is a stream: what is none has no end, like one that is cut off. */
const BROKEN = ['upstream_unavailable', true] as const;
const EXPECTED: typeof FAULT_ANSWERS = {
  ...FAULT_ANSWERS,
  truncated: BROKEN,
  html_for_json: BROKEN,
  wrong_schema: BROKEN,
  // Nobody is sent on: the other address would get the key.
  redirect_to_private: ['too_many_redirects', false],
};
/** A model has no clock to go by. */
const ASKED = FAULTS.filter((fault) => fault !== 'stale' && fault !== 'skewed_clock');

test.each(ASKED)('a model with the fault %s: its code, its retry, and no charge', async (fault) => {
  const { answer, charged, outcome } = await bought(fault);
  const found = answer.faults.map(({ code, retryable }) => [code, retryable]);
  expect(found).toEqual([EXPECTED[fault]]);
  expect(outcome).toMatchObject({ kind: 'result', result: { isError: true } });
  expect([answer.data, charged]).toEqual([null, 0n]);
});

test.each(['redirect_loop', 'redirect_to_private'] as const)(
  'with %s a model is asked once',
  async (fault) => {
    const { hits } = await bought(fault);
    expect(hits).toHaveLength(1);
  },
);
