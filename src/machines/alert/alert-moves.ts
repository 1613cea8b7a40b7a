import { formatDecimal, parseDecimal } from '../../domain/common/decimal.ts';
import type {
  AlertContext,
  AlertEvent,
  AlertReason,
  AlertState,
  AlertTransition,
  ReadingFault,
} from './alert-facts.ts';
import {
  evidenceIn,
  isClockBack,
  isCrossedInGap,
  readingOf,
  staleAt,
  type Weighed,
  weigh,
} from './alert-judge.ts';

/** Maximum number of state changes in the history. */
export const HISTORY_MAX = 200;

type Change = Partial<AlertContext>;

/** Evaluates the evidence in an event, if any. */
export function weighed(context: AlertContext, event: AlertEvent): Weighed | undefined {
  const sample = evidenceIn(context, event);
  return sample === undefined ? undefined : weigh(context, sample);
}

/** Applies a reading without changing the state. */
export function noted(context: AlertContext, event: AlertEvent): Change {
  const reading = readingOf(event);
  const now = weighed(context, event);
  const known = {
    fault: now === undefined ? faultOf(context, event) : null,
    ...clockOf(context, event, context.lastAt),
    eventSeq: reading?.eventSeq ?? context.eventSeq,
  };
  return now === undefined ? known : { ...known, ...now };
}

/** Moves to `armed` or `fired` and applies the event. */
export function reached(context: AlertContext, event: AlertEvent, to: 'armed' | 'fired'): Change {
  const now = weighed(context, event);
  const at = readingOf(event)?.at ?? ('at' in event ? event.at : context.lastAt);
  const known = event.type === 'ALERT.REARM' ? { lastAt: Math.max(context.lastAt, at) } : {};
  const latch = { latch: to, holdSince: null, clearSince: null } as const;
  const isBack = context.state === 'stale' && context.seq > 0;
  const gapCrossed = isBack && now !== undefined && isCrossedInGap(context, now);
  const change = isBack
    ? { ...noted(context, event), latch: to, sideBeforeGap: null }
    : { ...noted(context, event), ...(to === context.latch ? {} : latch) };
  const move = { to, at, reason: reasonOf(context, event, to), gapCrossed };
  return { ...change, ...known, ...moved({ ...context, ...change }, move) };
}

/** Moves to `stale`. The previous state is kept, and missing data never counts as recovery. */
export function wentStale(context: AlertContext, event: AlertEvent): Change {
  const reading = readingOf(event);
  const isBack = reading !== undefined && isClockBack(context, reading.at);
  const fault = faultOf(context, event);
  const at = reading?.at ?? staleAt(context);
  const change: Change = {
    fault,
    ...clockOf(context, event, at),
    holdSince: null,
    clearSince: null,
    side: null,
    sideBeforeGap: context.side,
    eventSeq: reading?.eventSeq ?? context.eventSeq,
  };
  const reason = isBack ? 'clock' : (fault?.reason ?? 'no_data');
  return { ...change, ...moved(context, { to: 'stale', at, reason, gapCrossed: false }) };
}

/** Ends an alert; its state stays unchanged. */
export function closed(event: AlertEvent): Change {
  return { ended: event.type === 'ALERT.DELETED' ? 'deleted' : 'expired' };
}

/** Returns the distance of the measure from the threshold; `null` without a measure. */
export function distanceOf({ evidence, definition }: AlertContext): string | null {
  if (evidence === null || evidence.measure === null) return null;
  return formatDecimal(parseDecimal(definition.threshold) - parseDecimal(evidence.measure));
}

/**
 * Updates the latest known time. A clock that was set back restarts it and discards evidence from
 * the future.
 */
function clockOf(context: AlertContext, event: AlertEvent, otherwise: number): Change {
  const at = readingOf(event)?.at ?? otherwise;
  if (!isClockBack(context, at)) return { lastAt: Math.max(context.lastAt, at) };
  const { evidence, definition } = context;
  const isAhead = evidence !== null && evidence.asOf - definition.maxSkewMs > at;
  return { lastAt: at, evidence: isAhead ? null : evidence };
}

interface Move {
  readonly to: AlertState;
  readonly at: number;
  readonly reason: AlertReason;
  readonly gapCrossed: boolean;
}

function moved(context: AlertContext, { to, at, reason, gapCrossed }: Move): Change {
  const seq = context.seq + 1;
  const isNotified = tells(context, to, at);
  const row: AlertTransition = {
    key: `${context.alertId}:${seq}`,
    from: context.seq === 0 ? null : context.state,
    to,
    at,
    reason,
    value: context.evidence?.value ?? null,
    gapCrossed,
    isNotified,
  };
  const isCooled = isNotified && to !== 'stale' && context.state !== 'stale';
  return {
    state: to,
    since: at,
    seq,
    history: [...context.history, row].slice(-HISTORY_MAX),
    notifiedAt:
      isCooled || isFirstFire(context, to)
        ? { ...context.notifiedAt, [to]: at }
        : context.notifiedAt,
  };
}

/** Notifies of each stale episode and its end once, and of other changes once per cooldown. */
function tells(context: AlertContext, to: AlertState, at: number): boolean {
  if (to === 'stale') return true;
  if (context.seq === 0) return to === 'fired';
  if (context.state === 'stale') return true;
  const last = context.notifiedAt[to];
  return last === null || at - last >= context.definition.cooldownMs || at < last;
}

function isFirstFire({ seq }: AlertContext, to: AlertState): to is 'fired' {
  return seq === 0 && to === 'fired';
}

function reasonOf(context: AlertContext, event: AlertEvent, to: 'armed' | 'fired'): AlertReason {
  if (event.type === 'ALERT.REARM') return 'rearmed';
  if (context.seq === 0) return to === 'fired' ? 'condition_met' : 'first_reading';
  if (context.state === 'stale') return 'resumed';
  return to === 'fired' ? 'condition_met' : 'condition_cleared';
}

function faultOf({ fault }: AlertContext, event: AlertEvent): ReadingFault | null {
  const reading = readingOf(event);
  if (reading !== undefined) return reading.fault ?? fault;
  if (event.type !== 'xstate.error.actor.read') return fault;
  return { reason: 'upstream_error', detail: 'the reading did not end' };
}
