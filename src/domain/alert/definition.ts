import { z } from 'zod';
import { formatDecimal, isDecimal, parseDecimal } from '../decimal.ts';
import { AppError } from '../error.ts';
import { DAY_MS, SECOND_MS } from '../time.ts';

/** Exchanges whose public tickers are read; `reference` is their median. */
export const VENUES = ['reference', 'kraken', 'coinbase', 'binance', 'bitstamp'] as const;
/** What is compared with the threshold, and how. */
export const ALERT_OPS = [
  ...['above', 'below', 'crosses_up', 'crosses_down'],
  ...['pct_change', 'volatility_above', 'event_match'],
] as const;
/** Bounds of an alert, in seconds. */
export const ALERT_S = { evalMin: 15, staleMin: 30, dayMax: 86_400, lifeMax: 90 * 86_400 } as const;
/** Samples that an alert over a window keeps. */
export const SAMPLES_MAX = 120;

const PAIR = /^[A-Z0-9]{2,12}\/[A-Z0-9]{2,12}$/;
const PARTS_OF_HYSTERESIS = 1_000n;

const Decimal = z.string().max(50).refine(isDecimal, 'a plain decimal such as 64000 or -2.5');
const Seconds = (min: number, max: number) => z.int().min(min).max(max);

/** What an alert watches, and when it fires, as callers write it. */
export const AlertCondition = z.strictObject({
  subject: z
    .union([
      z.strictObject({
        pair: z.string().regex(PAIR).describe('Base and quote, such as BTC/USD.'),
        venue: z.enum(VENUES).default('reference'),
      }),
      z.strictObject({
        topic: z
          .string()
          .regex(/^[a-z][a-z_]{0,39}(\.[a-z][a-z_]{0,39}){0,3}$/)
          .describe('Type of public events, such as job.released, or its first words.'),
        query: z
          .string()
          .min(1)
          .max(200)
          .optional()
          .describe('Whom or what they are about: a wallet, agent:<id>, or a reference.'),
      }),
    ])
    .describe('A price {pair, venue}, or public events of this service {topic, query}.'),
  op: z.enum(ALERT_OPS as unknown as readonly [AlertOp, ...AlertOp[]]),
  threshold: Decimal.optional().describe(
    'Price; percent for pct_change (negative: a fall) and volatility_above; none for event_match.',
  ),
  window_s: Seconds(60, ALERT_S.dayMax)
    .optional()
    .describe('pct_change and volatility_above: how far back samples count.'),
  hysteresis: Decimal.optional().describe('Default 0.1 % of the threshold.'),
  hold_for_s: Seconds(0, ALERT_S.dayMax).default(0),
  keep_firing_s: Seconds(0, ALERT_S.dayMax).default(0),
  eval_interval_s: Seconds(ALERT_S.evalMin, 3_600).default(60),
  stale_after_s: Seconds(ALERT_S.staleMin, ALERT_S.dayMax).optional(),
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
      operator: z.boolean().default(false).describe('Mail the operator; callers on this machine.'),
    })
    .default({ operator: false }),
});
/** See {@link AlertCondition}. */
export type AlertCondition = z.infer<typeof AlertCondition>;

/** See {@link ALERT_OPS}. */
export type AlertOp =
  | 'above'
  | 'below'
  | 'crosses_up'
  | 'crosses_down'
  | 'pct_change'
  | 'volatility_above'
  | 'event_match';

/** What an alert watches. */
export type AlertSubject =
  | { readonly kind: 'price'; readonly pair: string; readonly venue: string }
  | { readonly kind: 'event'; readonly topic: string; readonly query: string | null };

/** A condition with everything decided. Decimals are texts, times milliseconds. */
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
 * Decides what a condition leaves open.
 *
 * @throws {AppError} `INPUT_INVALID` where its parts do not go together.
 */
export function defineAlert(condition: AlertCondition): AlertDefinition {
  const { op, notify } = condition;
  const subject = subjectOf(condition);
  const threshold = thresholdOf(condition);
  const evalIntervalMs = condition.eval_interval_s * SECOND_MS;
  const level = parseDecimal(threshold);
  const tenth = formatDecimal((level < 0n ? -level : level) / PARTS_OF_HYSTERESIS);
  const hysteresis = op === 'event_match' ? '0' : (condition.hysteresis ?? tenth);
  if (parseDecimal(hysteresis) < 0n) throw misfit('hysteresis', hysteresis, 'zero or more');
  return {
    subject,
    op,
    threshold,
    windowMs: windowOf(condition),
    hysteresis,
    holdForMs: condition.hold_for_s * SECOND_MS,
    keepFiringMs: condition.keep_firing_s * SECOND_MS,
    evalIntervalMs,
    staleAfterMs: staleAfterOf(condition),
    rearm: condition.rearm,
    cooldownMs: condition.cooldown_s * SECOND_MS,
    lifeMs: Math.min(condition.expires_in_s * SECOND_MS, 90 * DAY_MS),
    maxSkewMs: condition.max_skew_s * SECOND_MS,
    notify: { webhookId: notify.webhook_id ?? null, operator: notify.operator },
  };
}

function subjectOf({ subject, op }: AlertCondition): AlertSubject {
  const isEvent = 'topic' in subject;
  if (isEvent !== (op === 'event_match')) {
    throw misfit('op', op, isEvent ? 'event_match for events' : 'any but event_match for prices');
  }
  return isEvent
    ? { kind: 'event', topic: subject.topic, query: subject.query?.toLowerCase() ?? null }
    : { kind: 'price', pair: subject.pair, venue: subject.venue };
}

function thresholdOf({ op, threshold }: AlertCondition): string {
  if (op === 'event_match') {
    if (threshold !== undefined) throw misfit('threshold', threshold, 'none for event_match');
    return '0';
  }
  if (threshold === undefined) throw misfit('threshold', null, 'a decimal');
  const level = parseDecimal(threshold);
  if (op === 'pct_change' && level === 0n) throw misfit('threshold', threshold, 'not zero');
  if (op !== 'pct_change' && level <= 0n) throw misfit('threshold', threshold, 'above zero');
  return formatDecimal(level);
}

function windowOf({ op, window_s: windowS, eval_interval_s: evalS }: AlertCondition): number {
  const isWindowed = op === 'pct_change' || op === 'volatility_above';
  if (!isWindowed) {
    if (windowS !== undefined) throw misfit('window_s', windowS, `none for ${op}`);
    return 0;
  }
  const [least, most] = [2 * evalS, SAMPLES_MAX * evalS];
  if (windowS === undefined || windowS < least || windowS > most) {
    throw misfit('window_s', windowS ?? null, `${least} to ${most}: 2 to ${SAMPLES_MAX} samples`);
  }
  return windowS * SECOND_MS;
}

function staleAfterOf({ stale_after_s: staleS, eval_interval_s: evalS }: AlertCondition): number {
  const chosen = staleS ?? Math.max(3 * evalS, ALERT_S.staleMin);
  if (chosen < evalS) throw misfit('stale_after_s', chosen, `at least eval_interval_s (${evalS})`);
  return chosen * SECOND_MS;
}

function misfit(path: string, received: unknown, allowed: string): AppError {
  return new AppError('INPUT_INVALID', {
    message: `${path} does not go with the rest: ${allowed}.`,
    data: { path, received, allowed },
  });
}
