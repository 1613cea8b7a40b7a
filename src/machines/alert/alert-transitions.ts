import type { AlertState } from '../../domain/alert/view.ts';
import { formatDecimal, parseDecimal } from '../../domain/common/decimal.ts';
import type {
  AlertContext,
  AlertEvent,
  AlertReason,
  AlertTransition,
  ReadingFailure,
} from './alert-context.ts';
import {
  computeStaleAt,
  type EvidenceUpdate,
  evaluateSample,
  findEvidence,
  hasCrossedInGap,
  isClockSetBack,
  readReading,
} from './alert-evaluation.ts';

/** Maximum number of state changes in the history. */
export const HISTORY_MAX = 200;

type Change = Partial<AlertContext>;

/** Evaluates the evidence in an event, if any. */
export function evaluateEvent(
  context: AlertContext,
  event: AlertEvent,
): EvidenceUpdate | undefined {
  const sample = findEvidence(context, event);
  return sample === undefined ? undefined : evaluateSample(context, sample);
}

/** Applies a reading without changing the state. */
export function applyReading(context: AlertContext, event: AlertEvent): Change {
  const reading = readReading(event);
  const now = evaluateEvent(context, event);
  const known = {
    fault: now === undefined ? readingFailureOf(context, event) : null,
    ...updateClock(context, event, context.lastAt),
    eventSeq: reading?.eventSeq ?? context.eventSeq,
  };
  return now === undefined ? known : { ...known, ...now };
}

/** Moves to `armed` or `fired` and applies the event. */
export function moveTo(context: AlertContext, event: AlertEvent, to: 'armed' | 'fired'): Change {
  const now = evaluateEvent(context, event);
  const at = readReading(event)?.at ?? ('at' in event ? event.at : context.lastAt);
  const known = event.type === 'ALERT.REARM' ? { lastAt: Math.max(context.lastAt, at) } : {};
  const latch = { latch: to, holdSince: null, clearSince: null } as const;
  const isBack = context.state === 'stale' && context.seq > 0;
  const gapCrossed = isBack && now !== undefined && hasCrossedInGap(context, now);
  const change = isBack
    ? { ...applyReading(context, event), latch: to, sideBeforeGap: null }
    : { ...applyReading(context, event), ...(to === context.latch ? {} : latch) };
  const move = { to, at, reason: transitionReason(context, event, to), gapCrossed };
  return { ...change, ...known, ...recordTransition({ ...context, ...change }, move) };
}

/** Moves to `stale`. The previous state is kept, and missing data never counts as recovery. */
export function moveToStale(context: AlertContext, event: AlertEvent): Change {
  const reading = readReading(event);
  const isBack = reading !== undefined && isClockSetBack(context, reading.at);
  const fault = readingFailureOf(context, event);
  const at = reading?.at ?? computeStaleAt(context);
  const change: Change = {
    fault,
    ...updateClock(context, event, at),
    holdSince: null,
    clearSince: null,
    side: null,
    sideBeforeGap: context.side,
    eventSeq: reading?.eventSeq ?? context.eventSeq,
  };
  const reason = isBack ? 'clock' : (fault?.reason ?? 'no_data');
  return {
    ...change,
    ...recordTransition(context, { to: 'stale', at, reason, gapCrossed: false }),
  };
}

/** Ends an alert; its state stays unchanged. */
export function closeAlert(event: AlertEvent): Change {
  return { ended: event.type === 'ALERT.DELETED' ? 'deleted' : 'expired' };
}

/** Returns the distance of the measure from the threshold; `null` without a measure. */
export function thresholdDistance({ evidence, definition }: AlertContext): string | null {
  if (evidence === null || evidence.measure === null) return null;
  return formatDecimal(parseDecimal(definition.threshold) - parseDecimal(evidence.measure));
}

/**
 * Updates the latest known time. A clock that was set back restarts it and discards evidence from
 * the future.
 */
function updateClock(context: AlertContext, event: AlertEvent, otherwise: number): Change {
  const at = readReading(event)?.at ?? otherwise;
  if (!isClockSetBack(context, at)) return { lastAt: Math.max(context.lastAt, at) };
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

function recordTransition(context: AlertContext, { to, at, reason, gapCrossed }: Move): Change {
  const seq = context.seq + 1;
  const isNotified = isNotifiable(context, to, at);
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
function isNotifiable(context: AlertContext, to: AlertState, at: number): boolean {
  if (to === 'stale') return true;
  if (context.seq === 0) return to === 'fired';
  if (context.state === 'stale') return true;
  const last = context.notifiedAt[to];
  return last === null || at - last >= context.definition.cooldownMs || at < last;
}

function isFirstFire({ seq }: AlertContext, to: AlertState): to is 'fired' {
  return seq === 0 && to === 'fired';
}

function transitionReason(
  context: AlertContext,
  event: AlertEvent,
  to: 'armed' | 'fired',
): AlertReason {
  if (event.type === 'ALERT.REARM') return 'rearmed';
  if (context.seq === 0) return to === 'fired' ? 'condition_met' : 'first_reading';
  if (context.state === 'stale') return 'resumed';
  return to === 'fired' ? 'condition_met' : 'condition_cleared';
}

function readingFailureOf({ fault }: AlertContext, event: AlertEvent): ReadingFailure | null {
  const reading = readReading(event);
  if (reading !== undefined) return reading.fault ?? fault;
  if (event.type !== 'xstate.error.actor.read') return fault;
  return { reason: 'upstream_error', detail: 'the reading did not end' };
}
