import { formatDecimal, parseDecimal, percentOf } from '../common/decimal.ts';
import { DAY_MS, HOUR_MS } from '../common/time.ts';
import type { DataValue } from '../data/value.ts';
import { type PricedCall, sumCosts, sumDecimals } from './costs.ts';
import { type Found, findSpend, groups } from './findings.ts';
import type { SpendBudget, SpendOrder } from './records.ts';
import type { BudgetState, SpendReport } from './report.ts';
import { sumParts, tokensOf } from './usage.ts';

/** Maximum number of records named in a finding. All are counted. */
const NAMED_MAX = 100;
/** Maximum number of returned groups per kind, most expensive first. */
const GROUPS_MAX = 200;
const PROJECTION_MAX_MS = 366 * DAY_MS;

/** Creates values with their sources. */
export interface SpendValues {
  /** Creates the cost of calls, in dollars. */
  cost(dollars: string, calls: readonly PricedCall[]): DataValue;
  /** Creates a value stated by the caller: a budget, a reported cost or a token count. */
  told(figure: string, unit: 'USD' | 'tokens' | 'tokens/h' | 'USD/h'): DataValue;
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
    groupsOf(calls, keyOf, values);
  const { key: _key, ...totals } = groupOf(null, calls, values);
  return {
    totals: { ...totals, is_cost_complete: unpriced.length === 0 },
    by: {
      model: grouped(({ call }) => call.model),
      task: grouped(({ call }) => call.task_id),
      agent: grouped(({ call }) => call.agent),
      hour: grouped(({ call }) => `${new Date(call.ts).toISOString().slice(0, 13)}:00:00.000Z`),
    },
    budget: order.budget === undefined ? null : budgetOf(calls, order.budget, values),
    findings: findSpend(calls, order, now).map((found) => findingOf(found, values)),
    unpriced_models: [...new Set(unpriced.map(({ call }) => call.model))],
    reconciliation: reconciled(calls, values),
  };
}

type Group = SpendReport['by']['model'][number];

function groupsOf(
  calls: readonly PricedCall[],
  keyOf: (call: PricedCall) => string | undefined,
  values: SpendValues,
): Group[] {
  const named = groups(calls, keyOf).map((group) => {
    const [first] = group;
    return groupOf(first === undefined ? null : (keyOf(first) ?? null), group, values);
  });
  const unnamed = calls.filter((call) => keyOf(call) === undefined);
  const rest = unnamed.length === 0 || named.length === 0 ? [] : [groupOf(null, unnamed, values)];
  return [...named, ...rest].sort(byCost).slice(0, GROUPS_MAX);
}

function byCost(one: Group, other: Group): number {
  const size = ({ cost }: Group) => (cost === null ? -1n : parseDecimal(cost.value));
  const [left, right] = [size(one), size(other)];
  return left === right ? other.tokens.total - one.tokens.total : left < right ? 1 : -1;
}

function groupOf(key: string | null, calls: readonly PricedCall[], values: SpendValues): Group {
  const parts = sumParts(calls.map((call) => call.parts));
  const cost = sumCosts(calls);
  return {
    key,
    calls: calls.length,
    tokens: {
      uncached_input: parts.uncached,
      cache_read: parts.cacheRead,
      cache_write: parts.cacheWrite,
      output: parts.output,
      total: tokensOf(parts),
    },
    cost: cost === null ? null : values.cost(cost, calls),
    unpriced_calls: calls.filter((call) => call.cost === null).length,
  };
}

type Budget = NonNullable<SpendReport['budget']>;

function budgetOf(calls: readonly PricedCall[], budget: SpendBudget, values: SpendValues): Budget {
  const within = calls.filter(({ call }) => isWithin(Date.parse(call.ts), budget));
  const unit = budget.usd === undefined ? 'tokens' : 'USD';
  const limit = budget.usd ?? String(budget.tokens ?? 0);
  const used = usedOf(within, unit);
  const value = (figure: string) =>
    unit === 'USD' ? values.cost(figure, within) : values.told(figure, 'tokens');
  const pace = used === null ? null : paceOf(within, used, limit);
  return {
    state: stateOf(within, used, limit, unit),
    limit: values.told(limit, unit),
    used: used === null ? null : value(used),
    used_percent: used === null ? null : shareOf(used, limit),
    burn_per_hour: pace === null ? null : values.told(pace.perHour, `${unit}/h`),
    projected_exhaustion: pace?.exhaustedAt ?? null,
  };
}

function isWithin(at: number, { from, to }: SpendBudget): boolean {
  const isAfter = from === undefined || at >= Date.parse(from);
  return isAfter && (to === undefined || at <= Date.parse(to));
}

function usedOf(calls: readonly PricedCall[], unit: 'USD' | 'tokens'): string | null {
  if (unit === 'tokens') return String(tokensOf(sumParts(calls.map(({ parts }) => parts))));
  // No call within the budget period is a known zero.
  return calls.length === 0 ? null : sumCosts(calls);
}

function stateOf(
  calls: readonly PricedCall[],
  used: string | null,
  limit: string,
  unit: 'USD' | 'tokens',
): BudgetState {
  if (used !== null && parseDecimal(used) > parseDecimal(limit)) return 'exceeded';
  if (unit === 'USD' && calls.some(({ cost }) => cost === null)) return 'unknown';
  return 'within';
}

function shareOf(used: string, limit: string): string | null {
  return limit === '0' ? null : formatDecimal(percentOf(parseDecimal(used), parseDecimal(limit)));
}

/** Returns the burn rate and the projected exhaustion; `null` for less than an hour of calls. */
function paceOf(calls: readonly PricedCall[], used: string, limit: string) {
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

function findingOf({ calls, wasted, ...found }: Found, values: SpendValues) {
  const cost = wasted === undefined ? null : sumCosts(wasted);
  return {
    ...found,
    records: calls.slice(0, NAMED_MAX).map(({ index }) => index),
    calls: calls.length,
    waste: cost === null ? null : values.cost(cost, wasted ?? []),
  };
}

function reconciled(calls: readonly PricedCall[], values: SpendValues) {
  const both = calls.filter(({ cost, call }) => cost !== null && call.reported_cost_usd);
  const computed = sumCosts(both);
  if (computed === null) return null;
  const reported = sumDecimals(both.flatMap(({ call }) => call.reported_cost_usd ?? []));
  const whole = parseDecimal(computed);
  const off = parseDecimal(reported) - whole;
  return {
    compared_calls: both.length,
    computed: values.cost(computed, both),
    reported: values.told(reported, 'USD'),
    difference_percent: whole === 0n ? null : formatDecimal(percentOf(off, whole)),
  };
}
