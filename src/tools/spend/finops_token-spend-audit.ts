import type { Services } from '../../actors/common/services.ts';
import { sha256Hex } from '../../domain/common/hash.ts';
import { canonicalJson, toJson } from '../../domain/common/json.ts';
import { formatMicroUsd, parseUsd } from '../../domain/common/money.ts';
import { DAY_MS, toIsoTime } from '../../domain/common/time.ts';
import { dataResultSchema } from '../../domain/data/envelope.ts';
import { SourceList, type UnnumberedSource } from '../../domain/data/source.ts';
import { createDataValue } from '../../domain/data/value.ts';
import type { TokenPrices } from '../../domain/llm/token-prices.ts';
import { auditSpend, type SpendValues } from '../../domain/spend/audit.ts';
import { computeOwnCost, type PricedCall } from '../../domain/spend/costs.ts';
import { CALLS_MAX, SpendOrder } from '../../domain/spend/records.ts';
import { SpendReport } from '../../domain/spend/report.ts';
import { type MeteredCall, meterCalls } from '../../domain/spend/usage.ts';
import type { Tool, ToolContext } from '../../domain/tool/tool.ts';
import type { ToolResult } from '../../domain/tool/tool-result.ts';
import { createDataResult } from '../data/data-answer.ts';
import { READ_ONLY_HINTS } from '../service/annotations.ts';

/** Validity of an audit, in milliseconds; price tables can be corrected later. */
export const SPEND_VALID_MS = 30 * DAY_MS;

const NAME = 'finops_token-spend-audit';
const PRICE_USD = '0.05';
const DESCRIPTION = [
  'Audit the token spend of an agent against its budget and task scope. Returns totals by model,',
  'task, agent and hour, the budget state with burn rate, and findings. Findings: models, tools,',
  'tasks or times out of scope, ids billed twice, retry storms, unused caches, wrong reported',
  `costs. Up to ${CALLS_MAX} calls. Each call has its own price, as of its time, from a published`,
  'table or yours. State whether input_tokens includes cached tokens. A model without a known',
  'price stays unpriced, never zero, and makes a dollar budget unknown. The tool sees only calls',
  `that you supply. $${PRICE_USD} per call. You are not charged if no price is known, unless you`,
  'set a token budget or a task scope.',
].join(' ');

/** Creates the tool `finops_token-spend-audit`. */
export function tokenSpendTool(
  deps: Pick<Services, 'clock' | 'tokenPrices' | 'trust'>,
): Tool<SpendOrder> {
  return {
    server: 'commerce',
    name: NAME,
    title: 'Token spend audit',
    description: DESCRIPTION,
    summary:
      'Audit an agent’s token spend from its calls: totals, budget, and findings such ' +
      'as double billing, retry storms or calls out of scope. No charge if nothing can ' +
      'be priced or checked.',
    example: {
      records: [
        { ts: '2026-01-31T12:00:00Z', model: 'gpt-5', input_tokens: 1200, output_tokens: 300 },
      ],
      convention: 'openai',
    },
    annotations: READ_ONLY_HINTS,
    input: SpendOrder,
    output: dataResultSchema(SpendReport),
    price: { amount: formatMicroUsd(parseUsd(PRICE_USD)), flow: 'authorization' },
    checkReady: (order) => ({ calls: meterCalls(order).length }),
    run: (order, context) => run(order, context, deps),
  };
}

async function run(
  order: SpendOrder,
  context: ToolContext,
  deps: Pick<Services, 'clock' | 'tokenPrices' | 'trust'>,
): Promise<ToolResult> {
  const { clock, tokenPrices } = deps;
  const now = clock.now();
  const calls: PricedCall[] = [];
  for (const call of meterCalls(order)) calls.push(await priceCall(call, order, tokenPrices));
  const sources = new SourceList();
  const values = createValues(sources, order, await tokenPrices.sourceFacts(), now);
  const report = auditSpend(calls, order, values, now);
  const models = new Set(calls.map(({ call }) => call.model));
  const missing = report.unpriced_models;
  const isAnswered = report.totals.cost !== null || needsNoPrices(order);
  return createDataResult(deps, context, {
    tool: NAME,
    headline: headlineOf(report, isAnswered),
    lines: report.findings.map(({ rule, severity, why }) => `${severity} ${rule}: ${why}`),
    data: isAnswered ? toJson(report) : null,
    sources: sources.records(),
    coverage: { asked: models.size, answered: models.size - missing.length, missing },
    faults: [],
    method: methodOf(order, tokenPrices),
    disclaimer: 'Computed only from the supplied calls; missing calls are not visible.',
  });
}

async function priceCall(
  call: MeteredCall,
  { prices = [] }: SpendOrder,
  table: TokenPrices,
): Promise<PricedCall> {
  const { model, provider, ts } = call.call;
  const own = prices.find((rate) => rate.model === model);
  if (own !== undefined)
    return { ...call, cost: computeOwnCost(call.parts, own), pricedBy: 'caller' };
  const cost = await table.price({ model, provider, parts: call.parts, at: Date.parse(ts) });
  return { ...call, cost: cost ?? null, pricedBy: cost === undefined ? null : 'table' };
}

/** A token budget or a task scope can be checked without any price. */
function needsNoPrices({ budget, task_scope: scope }: SpendOrder): boolean {
  return budget?.tokens !== undefined || scope !== undefined;
}

function createValues(
  sources: SourceList,
  order: SpendOrder,
  table: UnnumberedSource,
  now: number,
): SpendValues {
  const recordsId = sources.assignId(recordsSource(order, now));
  const shared = { asOf: now, asOfKind: 'received', maxAgeMs: SPEND_VALID_MS, now } as const;
  return {
    stated: (value, unit) => createDataValue({ ...shared, value, unit, sources: [recordsId] }),
    costOf: (value, calls) => {
      const hasTable = calls.some(({ pricedBy }) => pricedBy === 'table');
      const cited = hasTable ? [recordsId, sources.assignId(table)] : [recordsId];
      return createDataValue({ ...shared, value, unit: 'USD', sources: cited });
    },
  };
}

/** Returns the caller's records as a source, identified by the hash of their canonical JSON. */
function recordsSource({ records, prices }: SpendOrder, now: number): UnnumberedSource {
  const text = canonicalJson({ records, prices });
  return {
    upstream: 'caller',
    url: 'urn:stoa:input:records',
    http_status: null,
    retrieved_at: toIsoTime(now),
    revalidated_at: null,
    from_cache: false,
    sha256: sha256Hex(text),
    bytes: new TextEncoder().encode(text).byteLength,
  };
}

function methodOf(order: SpendOrder, { table }: TokenPrices): Record<string, string> {
  return {
    prices: `per call, as of its time; the caller's prices first, else ${table}`,
    cache_convention: `${order.convention} unless a call states another`,
    unknown: 'a model without a known price is excluded from every sum, and listed',
  };
}

function headlineOf({ totals, budget, findings }: SpendReport, isAnswered: boolean): string {
  if (!isAnswered) return 'No model of these calls has a known price.';
  const cost = totals.cost === null ? 'cost unknown' : `${totals.cost.value} USD`;
  const open = totals.is_cost_complete ? '' : `, ${totals.unpriced_calls} calls unpriced`;
  const kept = budget === null ? '' : `; budget ${budget.state}`;
  const size = `${totals.calls} calls, ${totals.tokens.total} tokens`;
  return `${size}, ${cost}${open}${kept}; ${findings.length} findings.`;
}
