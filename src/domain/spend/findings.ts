import { parseDecimal } from '../common/decimal.ts';
import { MINUTE_MS } from '../common/time.ts';
import type { PricedCall } from './costs.ts';
import type { SpendOrder, TaskScope } from './records.ts';

/** Minimum number of equal prompts within {@link RETRY_WINDOW_MS} that count as a retry storm. */
export const RETRIES_MIN = 4;
/** Time window of a retry storm, in milliseconds. */
export const RETRY_WINDOW_MS = 10 * MINUTE_MS;
/** Minimum number of calls of one agent and model without a cache read for a finding. */
export const CACHE_MISSES_MIN = 5;
/** Minimum number of input tokens for which caching is worthwhile. */
export const CACHEABLE_TOKENS_MIN = 4_096;
/** Maximum deviation of a reported cost, in percent. */
export const REPORT_DEVIATION_MAX_PERCENT = 1;
/** Maximum lead of a call's time over our clock, in milliseconds. */
export const CALL_LEAD_MAX_MS = 5 * MINUTE_MS;

/** Rules of an audit. */
export const SPEND_RULES = [
  'scope_model',
  'scope_tool',
  'scope_task',
  'scope_time',
  'duplicate_id',
  'retry_storm',
  'output_over_max',
  'cache_unused',
  'reported_differs',
  'dated_ahead',
  'id_missing',
] as const;
/** A rule of an audit. */
export type SpendRule = (typeof SPEND_RULES)[number];

/** Calls that match a rule. */
export interface SpendMatch {
  readonly rule: SpendRule;
  readonly severity: 'high' | 'medium' | 'low';
  readonly why: string;
  readonly calls: readonly PricedCall[];
  /** Calls whose cost was avoidable; absent if unknown. */
  readonly wasted?: readonly PricedCall[];
}

/** Checks calls against the scope and the rules. */
export function findSpendIssues(
  calls: readonly PricedCall[],
  order: SpendOrder,
  now: number,
): readonly SpendMatch[] {
  const found = [
    ...findOutOfScope(calls, order.task_scope),
    ...findDuplicates(calls),
    ...findRetryStorms(calls),
    ...findOverMax(calls, order.max_output_tokens),
    ...findUnusedCaches(calls),
    ...findMisreported(calls),
    ...findFutureCalls(calls, now),
    ...findMissingIds(calls),
  ];
  return found.filter((one) => one.calls.length > 0);
}

function findOutOfScope(
  calls: readonly PricedCall[],
  scope: TaskScope = {},
): readonly SpendMatch[] {
  const { allowed_models: models, allowed_tools: tools, task_ids: tasks, from, to } = scope;
  const outside = (
    rule: SpendRule,
    why: string,
    isOutside: (call: PricedCall['call']) => boolean,
  ) => {
    const matches = calls.filter(({ call }) => isOutside(call));
    return { rule, severity: 'high', why, calls: matches, wasted: matches } as const;
  };
  const isEarly = (ts: string) => from !== undefined && Date.parse(ts) < Date.parse(from);
  const isLate = (ts: string) => to !== undefined && Date.parse(ts) > Date.parse(to);
  return [
    outside(
      'scope_model',
      'The model is not among those allowed.',
      ({ model }) => models?.includes(model) === false,
    ),
    outside(
      'scope_tool',
      'The tool is not among those allowed.',
      ({ tool }) => tool !== undefined && tools?.includes(tool) === false,
    ),
    outside(
      'scope_task',
      'The call belongs to no task in scope.',
      ({ task_id: task }) => tasks !== undefined && (task === undefined || !tasks.includes(task)),
    ),
    outside('scope_time', 'The call is outside the time range of the scope.', ({ ts }) => {
      return isEarly(ts) || isLate(ts);
    }),
  ];
}

function findDuplicates(calls: readonly PricedCall[]): readonly SpendMatch[] {
  const same = groupCalls(calls, ({ call }) => call.id).filter((group) => group.length > 1);
  return same.map((group) => ({
    rule: 'duplicate_id',
    severity: 'high',
    why: `The id ${group[0]?.call.id ?? ''} occurs ${group.length} times.`,
    calls: group,
    wasted: group.slice(1),
  }));
}

function findRetryStorms(calls: readonly PricedCall[]): readonly SpendMatch[] {
  const byPrompt = groupCalls(calls, ({ call }) => call.prompt_sha256);
  return byPrompt.flatMap((group) => {
    const inOrder = [...group].sort((a, b) => timeOf(a) - timeOf(b));
    const storm = findLongestRun(inOrder);
    if (storm.length < RETRIES_MIN) return [];
    const why = `The same prompt was sent ${storm.length} times within 10 minutes.`;
    return [
      { rule: 'retry_storm', severity: 'high', why, calls: storm, wasted: storm.slice(1) } as const,
    ];
  });
}

/** Returns the longest sequence of calls within the window. */
function findLongestRun(inOrder: readonly PricedCall[]): readonly PricedCall[] {
  let best: readonly PricedCall[] = [];
  let first = 0;
  for (const [last, call] of inOrder.entries()) {
    for (let start = inOrder[first]; start !== undefined; start = inOrder[first]) {
      if (timeOf(call) - timeOf(start) <= RETRY_WINDOW_MS) break;
      first += 1;
    }
    if (last + 1 - first > best.length) best = inOrder.slice(first, last + 1);
  }
  return best;
}

function findOverMax(calls: readonly PricedCall[], max: number | undefined): readonly SpendMatch[] {
  if (max === undefined) return [];
  const hit = calls.filter(({ parts }) => parts.output > max);
  const why = `The call has more than ${max} output tokens.`;
  return [{ rule: 'output_over_max', severity: 'medium', why, calls: hit }];
}

function findUnusedCaches(calls: readonly PricedCall[]): readonly SpendMatch[] {
  const long = calls.filter(({ parts }) => parts.uncached >= CACHEABLE_TOKENS_MIN);
  const byAgentAndModel = groupCalls(long, ({ call }) =>
    JSON.stringify([call.agent ?? null, call.model]),
  );
  const without = byAgentAndModel.filter(
    (group) =>
      group.length >= CACHE_MISSES_MIN && group.every(({ parts }) => parts.cacheRead === 0),
  );
  return without.map((group) => ({
    rule: 'cache_unused',
    severity: 'low',
    why: `${group.length} long prompts on ${group[0]?.call.model ?? ''}, without a cache read.`,
    calls: group,
  }));
}

function findMisreported(calls: readonly PricedCall[]): readonly SpendMatch[] {
  const hit = calls.filter(({ cost, call }) => {
    if (cost === null || call.reported_cost_usd === undefined) return false;
    const computed = parseDecimal(cost);
    const off = parseDecimal(call.reported_cost_usd) - computed;
    return (off < 0n ? -off : off) * 100n > computed * BigInt(REPORT_DEVIATION_MAX_PERCENT);
  });
  const why = `Reported and computed cost differ by more than ${REPORT_DEVIATION_MAX_PERCENT} %.`;
  return [{ rule: 'reported_differs', severity: 'medium', why, calls: hit }];
}

function findFutureCalls(calls: readonly PricedCall[], now: number): readonly SpendMatch[] {
  const hit = calls.filter((call) => timeOf(call) > now + CALL_LEAD_MAX_MS);
  const why = 'The time of the call is in the future.';
  return [{ rule: 'dated_ahead', severity: 'medium', why, calls: hit }];
}

function findMissingIds(calls: readonly PricedCall[]): readonly SpendMatch[] {
  const hit = calls.filter(({ call }) => call.id === undefined);
  const why = 'Without an id, a duplicate charge cannot be detected.';
  return [{ rule: 'id_missing', severity: 'low', why, calls: hit }];
}

/** Groups calls by a key, in order. Calls without a key are skipped. */
export function groupCalls(
  calls: readonly PricedCall[],
  keyOf: (call: PricedCall) => string | undefined,
): readonly (readonly PricedCall[])[] {
  const found = new Map<string, PricedCall[]>();
  for (const call of calls) {
    const key = keyOf(call);
    if (key === undefined) continue;
    const group = found.get(key) ?? [];
    group.push(call);
    found.set(key, group);
  }
  return [...found.values()];
}

function timeOf({ call }: PricedCall): number {
  return Date.parse(call.ts);
}
