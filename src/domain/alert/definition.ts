import { z } from 'zod';
import { formatDecimal, isDecimal, parseDecimal } from '../common/decimal.ts';
import { DAY_MS, SECOND_MS } from '../common/time.ts';
import { CANDLE_INTERVALS } from '../market/candles.ts';
import { CANDLES_MIN } from '../market/volatility.ts';
import { type AlertSubject, misfit, SubjectInput, subjectOf } from './subject.ts';

/** Operators that compare the measured value with the threshold. */
export const ALERT_OPS = [
  ...['above', 'below', 'crosses_up', 'crosses_down'],
  ...['pct_change', 'volatility_above', 'event_match'],
] as const;
/** Limits of an alert definition, in seconds. */
export const ALERT_S = { evalMin: 15, staleMin: 30, dayMax: 86_400, lifeMax: 90 * 86_400 } as const;
/** Maximum number of samples that a windowed alert stores. */
export const SAMPLES_MAX = 120;
/** Maximum number of candles in one window. */
export const WINDOW_CANDLES_MAX = 500;
/** Limits of a news alert, in seconds. Feeds are served from a cache for several minutes. */
export const NEWS_S = { evalMin: 60, windowMin: 600, staleMin: 300 } as const;

const PARTS_OF_HYSTERESIS = 1_000n;
const WINDOW_S_MAX = (WINDOW_CANDLES_MAX * DAY_MS) / SECOND_MS;

const Decimal = z.string().max(50).refine(isDecimal, 'a plain decimal such as 64000 or -2.5');
const Seconds = (min: number, max: number) => z.int().min(min).max(max);

/** Alert condition as callers write it: the subject to watch and the rule that fires. */
export const AlertCondition = z.strictObject({
  subject: SubjectInput,
  op: z.enum(ALERT_OPS as unknown as readonly [AlertOp, ...AlertOp[]]),
  threshold: Decimal.optional().describe(
    [
      'Price; percent for pct_change (negative: a fall) and volatility_above; basis points for a',
      'spread; none for event_match.',
    ].join(' '),
  ),
  window_s: Seconds(60, WINDOW_S_MAX)
    .optional()
    .describe(
      'pct_change and volatility_above: look-back for samples or candles. Also used for headlines.',
    ),
  hysteresis: Decimal.optional().describe('Defaults to 0.1 % of the threshold.'),
  hold_for_s: Seconds(0, ALERT_S.dayMax).default(0),
  keep_firing_s: Seconds(0, ALERT_S.dayMax).default(0),
  eval_interval_s: Seconds(ALERT_S.evalMin, 3_600).default(60),
  stale_after_s: Seconds(ALERT_S.staleMin, 3 * ALERT_S.dayMax).optional(),
  rearm: z.enum(['auto', 'manual', 'none']).default('auto'),
  cooldown_s: Seconds(0, ALERT_S.dayMax).default(300),
  expires_in_s: Seconds(60, ALERT_S.lifeMax).default(30 * 86_400),
  max_skew_s: Seconds(0, 60).default(5),
  notify: z
    .strictObject({
      webhook_id: z
        .string()
        .regex(/^wh_[0-9a-f]{40}$/)
        .optional(),
      operator: z.boolean().default(false).describe('Email the operator. Local callers only.'),
    })
    .default({ operator: false }),
});
/** A parsed {@link AlertCondition} with its defaults filled in. */
export type AlertCondition = z.infer<typeof AlertCondition>;

/** One of the operators in {@link ALERT_OPS}. */
export type AlertOp =
  | 'above'
  | 'below'
  | 'crosses_up'
  | 'crosses_down'
  | 'pct_change'
  | 'volatility_above'
  | 'event_match';

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
  const subject = subjectOf(condition.subject);
  requireOp(subject, op);
  const threshold = thresholdOf(condition, subject);
  const evalIntervalMs = evalIntervalOf(condition, subject);
  const level = parseDecimal(threshold);
  const tenth = formatDecimal((level < 0n ? -level : level) / PARTS_OF_HYSTERESIS);
  const hysteresis = op === 'event_match' ? '0' : (condition.hysteresis ?? tenth);
  if (parseDecimal(hysteresis) < 0n) throw misfit('hysteresis', hysteresis, '0 or more');
  return {
    subject,
    op,
    threshold,
    windowMs: windowOf(condition, subject),
    hysteresis,
    holdForMs: condition.hold_for_s * SECOND_MS,
    keepFiringMs: condition.keep_firing_s * SECOND_MS,
    evalIntervalMs,
    staleAfterMs: staleAfterOf(condition, subject),
    rearm: condition.rearm,
    cooldownMs: condition.cooldown_s * SECOND_MS,
    lifeMs: Math.min(condition.expires_in_s * SECOND_MS, 90 * DAY_MS),
    maxSkewMs: condition.max_skew_s * SECOND_MS,
    notify: { webhookId: notify.webhook_id ?? null, operator: notify.operator },
  };
}

/** Returns whether the alert stores its own samples: a price source reports one value at a time. */
export function keepsSamples({
  subject,
  windowMs,
}: Pick<AlertDefinition, 'subject' | 'windowMs'>): boolean {
  return subject.kind === 'price' && windowMs > 0;
}

const OVER_WINDOWS: readonly AlertOp[] = ['pct_change', 'volatility_above'];

function requireOp({ kind }: AlertSubject, op: AlertOp): void {
  if (kind === 'event' || kind === 'news') {
    if (op !== 'event_match') throw misfit('op', op, 'event_match for events and news');
    return;
  }
  if (op === 'event_match') throw misfit('op', op, 'any except event_match for markets');
  if (kind === 'spread' && OVER_WINDOWS.includes(op)) {
    throw misfit('op', op, 'above, below, crosses_up or crosses_down for a spread');
  }
}

function thresholdOf({ op, threshold }: AlertCondition, { kind }: AlertSubject): string {
  if (op === 'event_match') {
    if (threshold !== undefined) throw misfit('threshold', threshold, 'none for event_match');
    return '0';
  }
  if (threshold === undefined) throw misfit('threshold', null, 'a decimal');
  const level = parseDecimal(threshold);
  if (op === 'pct_change' && level === 0n) {
    throw misfit('threshold', threshold, 'any value except 0');
  }
  const isSigned = op === 'pct_change' || kind === 'spread';
  if (!isSigned && level <= 0n) throw misfit('threshold', threshold, 'greater than 0');
  return formatDecimal(level);
}

function evalIntervalOf({ eval_interval_s: evalS }: AlertCondition, { kind }: AlertSubject) {
  if (kind === 'news' && evalS < NEWS_S.evalMin) {
    throw misfit('eval_interval_s', evalS, `at least ${NEWS_S.evalMin} for news`);
  }
  return evalS * SECOND_MS;
}

function windowOf(condition: AlertCondition, subject: AlertSubject): number {
  const { op, window_s: windowS } = condition;
  if (subject.kind === 'news') return within(windowS, NEWS_S.windowMin, ALERT_S.dayMax);
  if (!OVER_WINDOWS.includes(op)) {
    if (windowS !== undefined) throw misfit('window_s', windowS, `none for ${op}`);
    return 0;
  }
  if (subject.kind === 'candles') {
    const length = CANDLE_INTERVALS[subject.candle] / SECOND_MS;
    const least = op === 'pct_change' ? 1 : CANDLES_MIN;
    const windowMs = within(windowS, least * length, WINDOW_CANDLES_MAX * length);
    if (windowMs % (length * SECOND_MS) === 0) return windowMs;
    throw misfit('window_s', windowS, `a multiple of ${length}, the candle length`);
  }
  const evalS = condition.eval_interval_s;
  return within(windowS, 2 * evalS, Math.min(SAMPLES_MAX * evalS, ALERT_S.dayMax));
}

function within(windowS: number | undefined, least: number, most: number): number {
  if (windowS === undefined || windowS < least || windowS > most) {
    throw misfit('window_s', windowS ?? null, `${least} to ${most}`);
  }
  return windowS * SECOND_MS;
}

function staleAfterOf(condition: AlertCondition, subject: AlertSubject): number {
  const { stale_after_s: staleS, eval_interval_s: evalS } = condition;
  const { least, usual } = staleBounds(subject, evalS);
  const chosen = staleS ?? usual;
  if (chosen < least) throw misfit('stale_after_s', chosen, `at least ${least}`);
  return chosen * SECOND_MS;
}

/** A finished candle is as old as the current one; a feed is as old as its last response. */
function staleBounds(subject: AlertSubject, evalS: number) {
  const readings = Math.max(3 * evalS, ALERT_S.staleMin);
  if (subject.kind === 'candles') {
    const length = CANDLE_INTERVALS[subject.candle] / SECOND_MS;
    return { least: length + evalS, usual: 2 * length + readings };
  }
  if (subject.kind !== 'news') return { least: evalS, usual: readings };
  return {
    least: Math.max(evalS, NEWS_S.staleMin),
    usual: Math.max(readings, NEWS_S.staleMin),
  };
}
