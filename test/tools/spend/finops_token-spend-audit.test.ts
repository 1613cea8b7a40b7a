import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { SourceRecord } from '../../../src/domain/data/source.ts';
import type { SpendReport } from '../../../src/domain/spend/report.ts';
import { createTableTokenPrices } from '../../../src/providers/llm/token-prices.ts';
import { tokenSpendTool } from '../../../src/tools/spend/finops_token-spend-audit.ts';
import { proves } from '../../support/proves.ts';
import { realClock } from '../../support/real-clock.ts';
import { answerOf, contentOf, envelopeFaults, sellTool } from '../../support/sold-tool.ts';

const SONNET = 'claude-sonnet-4-5';
const call = {
  ts: '2026-01-02T00:00:00Z',
  model: SONNET,
  provider: 'anthropic',
  input_tokens: 1_000,
  output_tokens: 100,
};

interface Answer {
  readonly completeness: string;
  readonly data: SpendReport;
  readonly sources: readonly SourceRecord[];
  readonly coverage: { readonly missing: readonly string[] };
}

const sell = () =>
  sellTool((trust) =>
    tokenSpendTool({ trust, clock: realClock, tokenPrices: createTableTokenPrices(realClock) }),
  );

async function audit(args: object): Promise<Answer> {
  const sold = await sell();
  const outcome = await sold.buy({ convention: 'anthropic', ...args });
  const answer = answerOf<Answer>(sold, outcome);
  expect(envelopeFaults(contentOf(outcome))).toEqual([]);
  expect(sold.charged()).toBe(50_000n);
  return answer;
}

const rulesIn = ({ data }: Answer) => data.findings.map(({ rule }) => rule);

test('spend is audited against budget and scope, and its table is cited by its bytes', async () => {
  proves('C4.3.t13');
  const records = [
    { ...call, id: 'a', task_id: 'refactor', agent: 'coder' },
    { ...call, id: 'b', task_id: 'holiday', agent: 'coder', ts: '2026-01-02T02:00:00Z' },
  ];
  const scope = { task_ids: ['refactor'] };
  const answer = await audit({ records, budget: { usd: '0.01' }, task_scope: scope });
  // 1000 tokens at 3 dollars and 100 at 15 dollars for a million, twice.
  expect(answer.data.totals.cost).toMatchObject({ value: '0.009', unit: 'USD' });
  expect(answer.data.budget).toMatchObject({ state: 'within', used_percent: '90' });
  expect(answer.data.budget?.burn_per_hour?.value).toBe('0.0045');
  expect(answer.data.budget?.projected_exhaustion).toBe('2026-01-02T02:13:20.000Z');
  expect(answer.data.by.task.map(({ key, calls }) => [key, calls])).toEqual([
    ['refactor', 1],
    ['holiday', 1],
  ]);
  const [finding] = answer.data.findings;
  expect(finding).toMatchObject({ rule: 'scope_task', severity: 'high', records: [1] });
  expect(finding?.waste?.value).toBe('0.0045');
  const table = answer.sources.find(({ upstream }) => upstream === 'genai-prices');
  const bytes = readFileSync(fileURLToPath(import.meta.resolve('@pydantic/genai-prices')));
  expect(table).toMatchObject({
    bytes: bytes.byteLength,
    sha256: createHash('sha256').update(bytes).digest('hex'),
  });
});

test('each call is priced by itself: many small calls never reach the price of one long one', async () => {
  const small = Array.from({ length: 10 }, (_, at) => ({
    ...call,
    id: `c${at}`,
    input_tokens: 100_000,
    output_tokens: 0,
  }));
  const { data } = await audit({ records: small });
  expect(data.totals.cost?.value).toBe('3');
  const long = { ...call, id: 'long', input_tokens: 1_000_000, output_tokens: 0 };
  expect((await audit({ records: [long] })).data.totals.cost?.value).toBe('6');
});

test('cached tokens are inside the input for OpenAI and OpenTelemetry, beside it for Anthropic', async () => {
  const cached = { ...call, id: 'a', cache_read_tokens: 800, output_tokens: 0 };
  const inside = await audit({ records: [cached], convention: 'otel' });
  expect(inside.data.totals.tokens).toMatchObject({ uncached_input: 200, cache_read: 800 });
  expect(inside.data.totals.cost?.value).toBe('0.00084');
  const beside = await audit({ records: [{ ...cached, convention: 'anthropic' }] });
  expect(beside.data.totals.tokens).toMatchObject({ uncached_input: 1_000, total: 1_800 });
  expect(beside.data.totals.cost?.value).toBe('0.00324');
});

test('a model without a known price stays unpriced, never zero, and leaves the budget unknown', async () => {
  const records = [
    { ...call, id: 'a' },
    { ...call, id: 'b', model: 'house-model-7', provider: undefined },
  ];
  const answer = await audit({ records, budget: { usd: '1' } });
  expect(answer.completeness).toBe('partial');
  expect(answer.coverage.missing).toEqual(['house-model-7']);
  expect(answer.data.totals).toMatchObject({ is_cost_complete: false, unpriced_calls: 1 });
  expect(answer.data.totals.cost?.value).toBe('0.0045');
  expect(answer.data.by.model.find(({ key }) => key === 'house-model-7')?.cost).toBeNull();
  expect(answer.data.budget?.state).toBe('unknown');
  const over = await audit({ records, budget: { usd: '0.001' } });
  expect(over.data.budget?.state).toBe('exceeded');
});

test('where no model has a price and only money was asked for, nothing is charged', async () => {
  const sold = await sell();
  const records = [{ ...call, model: 'house-model-7', provider: undefined }];
  const outcome = await sold.buy({ records, convention: 'otel', budget: { usd: '1' } });
  expect(outcome).toMatchObject({ kind: 'result', result: { isError: true } });
  expect(answerOf<Answer>(sold, outcome)).toMatchObject({ completeness: 'none', data: null });
  expect(sold.charged()).toBe(0n);
});

test('prices of the caller go before the table', async () => {
  const own = { model: SONNET, input: '1', output: '2', cache_read: '0.5' };
  const records = [{ ...call, id: 'a', cache_read_tokens: 1_000 }];
  const { data, sources } = await audit({ records, prices: [own] });
  expect(data.totals.cost?.value).toBe('0.0017');
  expect(sources.map(({ upstream }) => upstream)).toEqual(['caller']);
});

const HASH = 'c'.repeat(64);
const many = (count: number, over: (at: number) => object) =>
  Array.from({ length: count }, (_, at) => ({ ...call, id: `c${at}`, ...over(at) }));

test.each<[string, object]>([
  ['scope_model', { records: [{ ...call, id: 'a' }], task_scope: { allowed_models: ['other'] } }],
  [
    'scope_tool',
    { records: [{ ...call, id: 'a', tool: 'shell' }], task_scope: { allowed_tools: ['read'] } },
  ],
  ['scope_task', { records: [{ ...call, id: 'a' }], task_scope: { task_ids: ['t'] } }],
  ['scope_time', { records: [{ ...call, id: 'a' }], task_scope: { to: '2026-01-01T00:00:00Z' } }],
  ['duplicate_id', { records: many(2, () => ({ id: 'same' })) }],
  ['retry_storm', { records: many(4, () => ({ prompt_sha256: HASH })) }],
  ['output_over_max', { records: [{ ...call, id: 'a' }], max_output_tokens: 99 }],
  ['cache_unused', { records: many(5, () => ({ agent: 'x', input_tokens: 5_000 })) }],
  ['reported_differs', { records: [{ ...call, id: 'a', reported_cost_usd: '0.0046' }] }],
  ['dated_ahead', { records: [{ ...call, id: 'a', ts: '2099-01-01T00:00:00Z' }] }],
  ['id_missing', { records: [call] }],
])('the rule %s finds what it is for, and nothing else does', async (rule, args) => {
  expect(rulesIn(await audit(args))).toEqual([rule]);
});

test('calls within the bounds of every rule are found by none', async () => {
  const spread = (at: number) => ({
    prompt_sha256: HASH,
    ts: `2026-01-02T00:${10 + at * 11}:00Z`,
    reported_cost_usd: '0.00454',
  });
  const records = many(4, spread);
  const task_scope = { allowed_models: [SONNET], allowed_tools: ['read'] };
  const answer = await audit({ records, task_scope, max_output_tokens: 100 });
  expect(rulesIn(answer)).toEqual([]);
  expect(answer.data.reconciliation).toMatchObject({ compared_calls: 4 });
});

test('figures that contradict their convention are refused before any payment', async () => {
  const sold = await sell();
  const wrong = [
    { records: [{ ...call, cache_read_tokens: 1_001 }], convention: 'otel' },
    { records: [{ ...call, reasoning_tokens: 101 }], convention: 'otel' },
    { records: [], convention: 'otel' },
    { records: [call] },
    { records: [{ ...call, input_tokens: -1 }], convention: 'otel' },
    { records: [{ ...call, reported_cost_usd: '1e3' }], convention: 'otel' },
    { records: [call], convention: 'otel', budget: { usd: '1', tokens: 5 } },
    { records: [call], convention: 'otel', budget: {} },
    { records: Array.from({ length: 2_001 }, () => call), convention: 'otel' },
  ];
  for (const args of wrong) {
    const outcome = await sold.ask(args);
    expect(contentOf(outcome)['error'], JSON.stringify(args).slice(0, 120)).toBe('INPUT_INVALID');
  }
});
