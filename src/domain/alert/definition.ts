import { z } from 'zod';
import { formatDecimal, isDecimal, parseDecimal } from '../common/decimal.ts';
import { DAY_MS, SECOND_MS } from '../common/time.ts';
import { CANDLE_INTERVALS } from '../market/candles.ts';
import { CANDLES_MIN } from '../market/volatility.ts';
import { ADVANCED } from '../tool/advanced.ts';
import { type AlertSubject, incompatibleInput, resolveSubject, SubjectInput } from './subject.ts';

/** Operators that compare the measured value with the threshold. */
export const ALERT_OPS = [
  'above',
  'below',
  'crosses_up',
  'crosses_down',
  'pct_change',
  'volatility_above',
  'event_match',
] as const;
/** Limits of an alert definition, in seconds. */
export const ALERT_LIMITS_S = {
  evalMin: 15,
  staleMin: 30,
  dayMax: 86_400,
  lifeMax: 90 * 86_400,
} as const;
/** Maximum number of samples that a windowed alert stores. */
export const SAMPLES_MAX = 120;
/** Maximum number of candles in one window. */
export const WINDOW_CANDLES_MAX = 500;
/** Limits of a news alert, in seconds. Feeds are served from a cache for several minutes. */
export const NEWS_LIMITS_S = { evalMin: 60, windowMin: 600, staleMin: 300 } as const;

const HYSTERESIS_DIVISOR = 1_000n;
const WINDOW_S_MAX = (WINDOW_CANDLES_MAX * DAY_MS) / SECOND_MS;

const Decimal = z.string().max(50).refine(isDecimal, 'a plain decimal such as 64000 or -2.5');
const Seconds = (min: number, max: number) => z.int().min(min).max(max);

/** Alert condition as callers write it: the subject to watch and the rule that fires. */
export const AlertCondition = z.strictObject({
  subject: SubjectInput,
  op: z.enum(ALERT_OPS).describe('Condition that fires.'),
  threshold: Decimal.optional().describe(
    'A price; percent for pct_change and volatility_above; basis points for a spread.',
  ),
  window_s: Seconds(60, WINDOW_S_MAX)
    .optional()
    .describe('Look-back of pct_change, volatility_above and headlines.'),
  hysteresis: Decimal.optional().describe('Defaults to 0.1 % of the threshold.').meta(ADVANCED),
  hold_for_s: Seconds(0, ALERT_LIMITS_S.dayMax)
    .default(0)
    .describe('Seconds that the condition must hold.')
    .meta(ADVANCED),
  keep_firing_s: Seconds(0, ALERT_LIMITS_S.dayMax)
    .default(0)
    .describe('Seconds to stay fired after the condition ends.')
    .meta(ADVANCED),
  eval_interval_s: Seconds(ALERT_LIMITS_S.evalMin, 3_600)
    .default(60)
    .describe('Seconds between checks. Default: 60.')
    .meta(ADVANCED),
  stale_after_s: Seconds(ALERT_LIMITS_S.staleMin, 3 * ALERT_LIMITS_S.dayMax)
    .optional()
    .describe('Age at which data is stale.')
    .meta(ADVANCED),
  rearm: z
    .enum(['auto', 'manual', 'none'])
    .default('auto')
    .describe('How it re-arms after firing. Default: auto.')
    .meta(ADVANCED),
  cooldown_s: Seconds(0, ALERT_LIMITS_S.dayMax)
    .default(300)
    .describe('Seconds between two firings. Default: 300.')
    .meta(ADVANCED),
  expires_in_s: Seconds(60, ALERT_LIMITS_S.lifeMax)
    .default(30 * 86_400)
    .describe('Lifetime in seconds. Default: 30 days.')
    .meta(ADVANCED),
  max_skew_s: Seconds(0, 60)
    .default(5)
    .describe('Largest clock difference of a source. Default: 5.')
    .meta(ADVANCED),
  notify: z
    .strictObject({
      webhook_id: z
        .string()
        .regex(/^wh_[0-9a-f]{40}$/)
        .optional()
        .describe('Your webhook.'),
      operator: z.boolean().default(false).describe('Email the operator. Local callers only.'),
    })
    .default({ operator: false })
    .describe('Who is notified.'),
});
/** A parsed {@link AlertCondition} with its defaults filled in. */
export type AlertCondition = z.infer<typeof AlertCondition>;

/** One of the operators in {@link ALERT_OPS}. */
export type AlertOp = (typeof ALERT_OPS)[number];

/** An alert condition with all defaults resolved. Decimals are strings; times are milliseconds. */
export interface AlertDefinition {
  readonly subject: AlertSubject;
  readonly op: AlertOp;
  readonly threshold: string;
  readonly windowMs: number;
  readonly hysteresis: string;
  readonly holdForMs: number;
  readonly keepFiringMs: number;
  readonly evalIntervalMs: number;
  readonly staleAfterMs: number;
  readonly rearm: 'auto' | 'manual' | 'none';
  readonly cooldownMs: number;
  readonly lifeMs: number;
  readonly maxSkewMs: number;
  readonly notify: { readonly webhookId: string | null; readonly operator: boolean };
}

/**
 * Resolves the defaults of a condition.
 *
 * @throws {AppError} `INPUT_INVALID` if two fields are incompatible.
 */
export function defineAlert(condition: AlertCondition): AlertDefinition {
  const { op, notify } = condition;
  const subject = resolveSubject(condition.subject);
  requireOp(subject, op);
  const threshold = resolveThreshold(condition, subject);
  const evalIntervalMs = resolveEvalInterval(condition, subject);
  const thresholdValue = parseDecimal(threshold);
  const defaultHysteresis = formatDecimal(
    (thresholdValue < 0n ? -thresholdValue : thresholdValue) / HYSTERESIS_DIVISOR,
  );
  const hysteresis = op === 'event_match' ? '0' : (condition.hysteresis ?? defaultHysteresis);
  if (parseDecimal(hysteresis) < 0n) throw incompatibleInput('hysteresis', hysteresis, '0 or more');
  return {
    subject,
    op,
    threshold,
    windowMs: resolveWindow(condition, subject),
    hysteresis,
    holdForMs: condition.hold_for_s * SECOND_MS,
    keepFiringMs: condition.keep_firing_s * SECOND_MS,
    evalIntervalMs,
    staleAfterMs: resolveStaleAfter(condition, subject),
    rearm: condition.rearm,
    cooldownMs: condition.cooldown_s * SECOND_MS,
    lifeMs: Math.min(condition.expires_in_s * SECOND_MS, 90 * DAY_MS),
    maxSkewMs: condition.max_skew_s * SECOND_MS,
    notify: { webhookId: notify.webhook_id ?? null, operator: notify.operator },
  };
}

/** Returns whether the alert stores its own samples: a price source reports one value at a time. */
export function hasOwnSamples({
  subject,
  windowMs,
}: Pick<AlertDefinition, 'subject' | 'windowMs'>): boolean {
  return subject.kind === 'price' && windowMs > 0;
}

const WINDOWED_OPS: readonly AlertOp[] = ['pct_change', 'volatility_above'];

function requireOp({ kind }: AlertSubject, op: AlertOp): void {
  if (kind === 'event' || kind === 'news') {
    if (op !== 'event_match') throw incompatibleInput('op', op, 'event_match for events and news');
    return;
  }
  if (op === 'event_match') throw incompatibleInput('op', op, 'any except event_match for markets');
  if (kind === 'spread' && WINDOWED_OPS.includes(op)) {
    throw incompatibleInput('op', op, 'above, below, crosses_up or crosses_down for a spread');
  }
}

function resolveThreshold({ op, threshold }: AlertCondition, { kind }: AlertSubject): string {
  if (op === 'event_match') {
    if (threshold !== undefined)
      throw incompatibleInput('threshold', threshold, 'none for event_match');
    return '0';
  }
  if (threshold === undefined) throw incompatibleInput('threshold', null, 'a decimal');
  const level = parseDecimal(threshold);
  if (op === 'pct_change' && level === 0n) {
    throw incompatibleInput('threshold', threshold, 'any value except 0');
  }
  const isSigned = op === 'pct_change' || kind === 'spread';
  if (!isSigned && level <= 0n) throw incompatibleInput('threshold', threshold, 'greater than 0');
  return formatDecimal(level);
}

function resolveEvalInterval({ eval_interval_s: evalS }: AlertCondition, { kind }: AlertSubject) {
  if (kind === 'news' && evalS < NEWS_LIMITS_S.evalMin) {
    throw incompatibleInput('eval_interval_s', evalS, `at least ${NEWS_LIMITS_S.evalMin} for news`);
  }
  return evalS * SECOND_MS;
}

function resolveWindow(condition: AlertCondition, subject: AlertSubject): number {
  const { op, window_s: windowS } = condition;
  if (subject.kind === 'news')
    return requireWindowWithin(windowS, NEWS_LIMITS_S.windowMin, ALERT_LIMITS_S.dayMax);
  if (!WINDOWED_OPS.includes(op)) {
    if (windowS !== undefined) throw incompatibleInput('window_s', windowS, `none for ${op}`);
    return 0;
  }
  if (subject.kind === 'candles') {
    const length = CANDLE_INTERVALS[subject.candle] / SECOND_MS;
    const least = op === 'pct_change' ? 1 : CANDLES_MIN;
    const windowMs = requireWindowWithin(windowS, least * length, WINDOW_CANDLES_MAX * length);
    if (windowMs % (length * SECOND_MS) === 0) return windowMs;
    throw incompatibleInput('window_s', windowS, `a multiple of ${length}, the candle length`);
  }
  const evalS = condition.eval_interval_s;
  return requireWindowWithin(
    windowS,
    2 * evalS,
    Math.min(SAMPLES_MAX * evalS, ALERT_LIMITS_S.dayMax),
  );
}

function requireWindowWithin(windowS: number | undefined, least: number, most: number): number {
  if (windowS === undefined || windowS < least || windowS > most) {
    throw incompatibleInput('window_s', windowS ?? null, `${least} to ${most}`);
  }
  return windowS * SECOND_MS;
}

function resolveStaleAfter(condition: AlertCondition, subject: AlertSubject): number {
  const { stale_after_s: staleS, eval_interval_s: evalS } = condition;
  const { least, usual } = computeStaleBounds(subject, evalS);
  const chosen = staleS ?? usual;
  if (chosen < least) throw incompatibleInput('stale_after_s', chosen, `at least ${least}`);
  return chosen * SECOND_MS;
}

/** A finished candle is as old as the current one; a feed is as old as its last response. */
function computeStaleBounds(subject: AlertSubject, evalS: number) {
  const readings = Math.max(3 * evalS, ALERT_LIMITS_S.staleMin);
  if (subject.kind === 'candles') {
    const length = CANDLE_INTERVALS[subject.candle] / SECOND_MS;
    return { least: length + evalS, usual: 2 * length + readings };
  }
  if (subject.kind !== 'news') return { least: evalS, usual: readings };
  return {
    least: Math.max(evalS, NEWS_LIMITS_S.staleMin),
    usual: Math.max(readings, NEWS_LIMITS_S.staleMin),
  };
}
