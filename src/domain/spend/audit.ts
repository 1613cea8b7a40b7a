import { computePercent, formatDecimal, parseDecimal } from '../common/decimal.ts';
import { DAY_MS, HOUR_MS } from '../common/time.ts';
import type { DataValue } from '../data/value.ts';
import { type PricedCall, sumCosts, sumDecimals } from './costs.ts';
import { findSpendIssues, groupCalls, type SpendMatch } from './findings.ts';
import type { SpendBudget, SpendOrder } from './records.ts';
import type { BudgetState, SpendReport } from './report.ts';
import { sumTokenParts, sumTokens } from './usage.ts';

/** Maximum number of records named in a finding. All are counted. */
const NAMED_MAX = 100;
/** Maximum number of returned groups per kind, most expensive first. */
const GROUPS_MAX = 200;
const PROJECTION_MAX_MS = 366 * DAY_MS;

/** Creates values with their sources. */
export interface SpendValues {
  /** Creates the cost of calls, in dollars. */
  costOf(dollars: string, calls: readonly PricedCall[]): DataValue;
  /** Creates a value stated by the caller: a budget, a reported cost or a token count. */
  stated(figure: string, unit: 'USD' | 'tokens' | 'tokens/h' | 'USD/h'): DataValue;
}

/** Audits priced calls. A pure function: the same calls give the same report. */
export function auditSpend(
  calls: readonly PricedCall[],
  order: SpendOrder,
  values: SpendValues,
  now: number,
): SpendReport {
  const unpriced = calls.filter(({ cost }) => cost === null);
  const grouped = (keyOf: (call: PricedCall) => string | undefined) =>
    buildGroups(calls, keyOf, values);
  const { key: _key, ...totals } = buildGroup(null, calls, values);
  return {
    totals: { ...totals, is_cost_complete: unpriced.length === 0 },
    by: {
      model: grouped(({ call }) => call.model),
      task: grouped(({ call }) => call.task_id),
      agent: grouped(({ call }) => call.agent),
      hour: grouped(({ call }) => `${new Date(call.ts).toISOString().slice(0, 13)}:00:00.000Z`),
    },
    budget: order.budget === undefined ? null : buildBudget(calls, order.budget, values),
    findings: findSpendIssues(calls, order, now).map((found) => buildFinding(found, values)),
    unpriced_models: [...new Set(unpriced.map(({ call }) => call.model))],
    reconciliation: reconcile(calls, values),
  };
}

type Group = SpendReport['by']['model'][number];

function buildGroups(
  calls: readonly PricedCall[],
  keyOf: (call: PricedCall) => string | undefined,
  values: SpendValues,
): Group[] {
  const named = groupCalls(calls, keyOf).map((group) => {
    const [first] = group;
    return buildGroup(first === undefined ? null : (keyOf(first) ?? null), group, values);
  });
  const unnamed = calls.filter((call) => keyOf(call) === undefined);
  const rest =
    unnamed.length === 0 || named.length === 0 ? [] : [buildGroup(null, unnamed, values)];
  return [...named, ...rest].sort(compareByCost).slice(0, GROUPS_MAX);
}

function compareByCost(one: Group, other: Group): number {
  const size = ({ cost }: Group) => (cost === null ? -1n : parseDecimal(cost.value));
  const [left, right] = [size(one), size(other)];
  return left === right ? other.tokens.total - one.tokens.total : left < right ? 1 : -1;
}

function buildGroup(key: string | null, calls: readonly PricedCall[], values: SpendValues): Group {
  const parts = sumTokenParts(calls.map((call) => call.parts));
  const cost = sumCosts(calls);
  return {
    key,
    calls: calls.length,
    tokens: {
      uncached_input: parts.uncached,
      cache_read: parts.cacheRead,
      cache_write: parts.cacheWrite,
      output: parts.output,
      total: sumTokens(parts),
    },
    cost: cost === null ? null : values.costOf(cost, calls),
    unpriced_calls: calls.filter((call) => call.cost === null).length,
  };
}

type Budget = NonNullable<SpendReport['budget']>;

function buildBudget(
  calls: readonly PricedCall[],
  budget: SpendBudget,
  values: SpendValues,
): Budget {
  const within = calls.filter(({ call }) => isWithin(Date.parse(call.ts), budget));
  const unit = budget.usd === undefined ? 'tokens' : 'USD';
  const limit = budget.usd ?? String(budget.tokens ?? 0);
  const used = computeUsed(within, unit);
  const value = (figure: string) =>
    unit === 'USD' ? values.costOf(figure, within) : values.stated(figure, 'tokens');
  const pace = used === null ? null : computeBurnRate(within, used, limit);
  return {
    state: computeBudgetState(within, used, limit, unit),
    limit: values.stated(limit, unit),
    used: used === null ? null : value(used),
    used_percent: used === null ? null : computeUsedPercent(used, limit),
    burn_per_hour: pace === null ? null : values.stated(pace.perHour, `${unit}/h`),
    projected_exhaustion: pace?.exhaustedAt ?? null,
  };
}

function isWithin(at: number, { from, to }: SpendBudget): boolean {
  const isAfter = from === undefined || at >= Date.parse(from);
  return isAfter && (to === undefined || at <= Date.parse(to));
}

function computeUsed(calls: readonly PricedCall[], unit: 'USD' | 'tokens'): string | null {
  if (unit === 'tokens') return String(sumTokens(sumTokenParts(calls.map(({ parts }) => parts))));
  // No call within the budget period is a known zero.
  return calls.length === 0 ? null : sumCosts(calls);
}

function computeBudgetState(
  calls: readonly PricedCall[],
  used: string | null,
  limit: string,
  unit: 'USD' | 'tokens',
): BudgetState {
  if (used !== null && parseDecimal(used) > parseDecimal(limit)) return 'exceeded';
  if (unit === 'USD' && calls.some(({ cost }) => cost === null)) return 'unknown';
  return 'within';
}

function computeUsedPercent(used: string, limit: string): string | null {
  return limit === '0'
    ? null
    : formatDecimal(computePercent(parseDecimal(used), parseDecimal(limit)));
}

/** Returns the burn rate and the projected exhaustion; `null` for less than an hour of calls. */
function computeBurnRate(calls: readonly PricedCall[], used: string, limit: string) {
  const times = calls.map(({ call }) => Date.parse(call.ts));
  const last = times.reduce((most, at) => Math.max(most, at), 0);
  const spanMs = last - times.reduce((least, at) => Math.min(least, at), last);
  if (spanMs < HOUR_MS) return null;
  const spent = parseDecimal(used);
  const left = parseDecimal(limit) - spent;
  const leftMs = spent === 0n ? Infinity : Number((left * BigInt(spanMs)) / spent);
  const isInTime = leftMs >= 0 && leftMs <= PROJECTION_MAX_MS;
  return {
    perHour: formatDecimal((spent * BigInt(HOUR_MS)) / BigInt(spanMs)),
    exhaustedAt: isInTime ? new Date(last + leftMs).toISOString() : null,
  };
}

function buildFinding({ calls, wasted, ...found }: SpendMatch, values: SpendValues) {
  const cost = wasted === undefined ? null : sumCosts(wasted);
  return {
    ...found,
    records: calls.slice(0, NAMED_MAX).map(({ index }) => index),
    calls: calls.length,
    waste: cost === null ? null : values.costOf(cost, wasted ?? []),
  };
}

function reconcile(calls: readonly PricedCall[], values: SpendValues) {
  const both = calls.filter(({ cost, call }) => cost !== null && call.reported_cost_usd);
  const computed = sumCosts(both);
  if (computed === null) return null;
  const reported = sumDecimals(both.flatMap(({ call }) => call.reported_cost_usd ?? []));
  const computedValue = parseDecimal(computed);
  const difference = parseDecimal(reported) - computedValue;
  return {
    compared_calls: both.length,
    computed: values.costOf(computed, both),
    reported: values.stated(reported, 'USD'),
    difference_percent:
      computedValue === 0n ? null : formatDecimal(computePercent(difference, computedValue)),
  };
}
