import type { AlertDefinition, AlertOp } from '../../domain/alert/definition.ts';

/** What an alert shows of itself. */
export type AlertState = 'armed' | 'fired' | 'stale';

/** Why an alert moved. */
export type AlertReason =
  | 'first_reading'
  | 'condition_met'
  | 'condition_cleared'
  | 'rearmed'
  | 'resumed'
  | StaleReason;

/** Why an alert has nothing to go by. */
export type StaleReason = 'no_data' | 'upstream_error' | 'schema' | 'market_closed' | 'clock';

/** An answer that a value was made from, as exactly the bytes that came. */
export interface AlertProof {
  /** Who was asked. */
  readonly source: string;
  readonly url: string;
  readonly sha256: string;
  /** RFC 3339: when these bytes came, or when their owner last said that they still hold. */
  readonly at: string;
}

/** A headline that matched. Every word of it is a stranger's. */
export interface AlertFinding {
  readonly title: string;
  readonly url: string;
  readonly domain: string;
  /** RFC 3339, as the feed says. */
  readonly publishedAt: string;
}

/** One value that a source gave. */
export interface AlertSample {
  /** A decimal. */
  readonly value: string;
  /** When it was so, in milliseconds: the source's word, else when it came. */
  readonly asOf: number;
  /** Who said so. */
  readonly source: string;
  /** Answers that it was made from, where they are kept by hash. */
  readonly proof?: readonly AlertProof[];
  /** News: the newest headlines that matched. */
  readonly found?: readonly AlertFinding[];
}

/** Why a reading brought no value. */
export interface ReadingFault {
  readonly reason: Exclude<StaleReason, 'clock'>;
  readonly detail: string;
}

/** What the `read` effect answers. */
export interface AlertReading {
  /** When it was read, in milliseconds. */
  readonly at: number;
  readonly sample: AlertSample | null;
  readonly fault: ReadingFault | null;
  /** Event alerts: where the feed is to be read on. */
  readonly eventSeq?: number;
}

/** What the `read` effect is asked for. */
export interface AlertLook {
  readonly subject: AlertDefinition['subject'];
  readonly eventSeq: number;
  readonly op: AlertOp;
  /** Milliseconds; 0 without a window. */
  readonly windowMs: number;
  /** Milliseconds: news from before the alert does not count. */
  readonly since: number;
}

/** A sample that counted. */
export interface AlertEvidence extends AlertSample {
  /** What was compared with the threshold; `null` while the window has too few samples. */
  readonly measure: string | null;
}

/** One change of an alert's state; its key makes every telling of it the same one. */
export interface AlertTransition {
  readonly key: string;
  readonly from: AlertState | null;
  readonly to: AlertState;
  readonly at: number;
  readonly reason: AlertReason;
  readonly value: string | null;
  /** True when the threshold was crossed while there were no data. */
  readonly gapCrossed: boolean;
  readonly isNotified: boolean;
}

/** What an alert is created with. Times are in milliseconds. */
export interface AlertInput {
  readonly alertId: string;
  /** Wallet that paid, or a local caller. */
  readonly owner: string;
  readonly definition: AlertDefinition;
  readonly at: number;
  /** Event alerts: events before this place do not count. */
  readonly eventSeq: number;
}

/** An alert as its actor keeps it. */
export interface AlertContext {
  readonly alertId: string;
  readonly owner: string;
  readonly definition: AlertDefinition;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly state: AlertState;
  readonly since: number;
  /** What it goes back to when data come again. */
  readonly latch: 'armed' | 'fired';
  readonly evidence: AlertEvidence | null;
  /** Samples of the window, the oldest first; only of alerts that have one. */
  readonly samples: readonly { readonly value: string; readonly asOf: number }[];
  /** When the condition became true, and clear, without a break; in the data's own time. */
  readonly holdSince: number | null;
  readonly clearSince: number | null;
  /** Crossings: on which side of the threshold the last evidence stood. */
  readonly side: 'on' | 'off' | null;
  readonly sideBeforeGap: 'on' | 'off' | null;
  readonly fault: ReadingFault | null;
  /** Latest moment that it knows of. */
  readonly lastAt: number;
  readonly seq: number;
  /** Newest at the end. */
  readonly history: readonly AlertTransition[];
  /** When the owner was last told of each. */
  readonly notifiedAt: { readonly armed: number | null; readonly fired: number | null };
  readonly eventSeq: number;
  readonly ended: 'expired' | 'deleted' | null;
}

/** Everything that an alert takes. */
export type AlertEvent =
  | { readonly type: 'ALERT.REARM'; readonly at: number }
  | { readonly type: 'ALERT.DELETED'; readonly at: number }
  | { readonly type: 'xstate.done.actor.read'; readonly output: AlertReading }
  | { readonly type: 'xstate.error.actor.read'; readonly error: unknown };

/** An alert on its first day: without a reading it is stale. */
export function openedAlert({ input }: { readonly input: AlertInput }): AlertContext {
  const { alertId, owner, definition, at, eventSeq } = input;
  return {
    alertId,
    owner,
    definition,
    createdAt: at,
    expiresAt: at + definition.lifeMs,
    state: 'stale',
    since: at,
    latch: 'armed',
    evidence: null,
    samples: [],
    holdSince: null,
    clearSince: null,
    side: null,
    sideBeforeGap: null,
    fault: null,
    lastAt: at,
    seq: 0,
    history: [],
    notifiedAt: { armed: null, fired: null },
    eventSeq,
    ended: null,
  };
}
