import type { AlertDefinition, AlertOp } from '../../domain/alert/definition.ts';
import type { AlertState } from '../../domain/alert/view.ts';

/** Reason for a state change. */
export type AlertReason =
  | 'first_reading'
  | 'condition_met'
  | 'condition_cleared'
  | 'rearmed'
  | 'resumed'
  | StaleReason;

/** Reason why an alert is stale. */
export type StaleReason = 'no_data' | 'upstream_error' | 'schema' | 'market_closed' | 'clock';

/** A source response behind a value, identified by the hash of its exact bytes. */
export interface AlertSource {
  /** Name of the source. */
  readonly source: string;
  readonly url: string;
  readonly sha256: string;
  /** RFC 3339 time at which the bytes were received or last revalidated. */
  readonly at: string;
}

/** A matching headline. All text is untrusted. */
export interface AlertHeadline {
  readonly title: string;
  readonly url: string;
  readonly domain: string;
  /** RFC 3339, as stated by the feed. */
  readonly publishedAt: string;
}

/** One value from a source. */
export interface AlertSample {
  /** Decimal text. */
  readonly value: string;
  /** Time of the value in milliseconds: as stated by the source, otherwise when it was received. */
  readonly asOf: number;
  /** Name of the source. */
  readonly source: string;
  /** Source responses behind the value, if their hashes are stored. */
  readonly proof?: readonly AlertSource[];
  /** News: the newest matching headlines. */
  readonly found?: readonly AlertHeadline[];
}

/** Failure of a reading. */
export interface ReadingFailure {
  readonly reason: Exclude<StaleReason, 'clock'>;
  readonly detail: string;
}

/** Output of the `read` effect. */
export interface AlertReading {
  /** Time of the reading, in milliseconds. */
  readonly at: number;
  readonly sample: AlertSample | null;
  readonly fault: ReadingFailure | null;
  /** Event alerts: position in the feed to continue from. */
  readonly eventSeq?: number;
}

/** Input of the `read` effect. */
export interface AlertReadInput {
  readonly subject: AlertDefinition['subject'];
  readonly eventSeq: number;
  readonly op: AlertOp;
  /** Milliseconds; 0 without a window. */
  readonly windowMs: number;
  /** Milliseconds: earlier news is ignored. */
  readonly since: number;
}

/** A sample that was accepted as evidence. */
export interface AlertEvidence extends AlertSample {
  /** Value compared with the threshold; `null` while the window has too few samples. */
  readonly measure: string | null;
}

/** One state change; its key identifies it in every notification. */
export interface AlertTransition {
  readonly key: string;
  readonly from: AlertState | null;
  readonly to: AlertState;
  readonly at: number;
  readonly reason: AlertReason;
  readonly value: string | null;
  /** True if the threshold was crossed while no data was available. */
  readonly gapCrossed: boolean;
  readonly isNotified: boolean;
}

/** Input of an alert. Times are in milliseconds. */
export interface AlertInput {
  readonly alertId: string;
  /** Wallet that paid, or a local caller. */
  readonly owner: string;
  readonly definition: AlertDefinition;
  readonly at: number;
  /** Event alerts: events before this position are ignored. */
  readonly eventSeq: number;
}

/** Context of an alert actor. */
export interface AlertContext {
  readonly alertId: string;
  readonly owner: string;
  readonly definition: AlertDefinition;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly state: AlertState;
  readonly since: number;
  /** State to resume when data returns. */
  readonly latch: 'armed' | 'fired';
  readonly evidence: AlertEvidence | null;
  /** Samples in the window, oldest first; only for windowed alerts. */
  readonly samples: readonly { readonly value: string; readonly asOf: number }[];
  /** When the condition became continuously true, and clear, in data time. */
  readonly holdSince: number | null;
  readonly clearSince: number | null;
  /** Crossings: side of the threshold at the last evidence. */
  readonly side: 'on' | 'off' | null;
  readonly sideBeforeGap: 'on' | 'off' | null;
  readonly fault: ReadingFailure | null;
  /** Latest known time. */
  readonly lastAt: number;
  readonly seq: number;
  /** Newest last. */
  readonly history: readonly AlertTransition[];
  /** Time of the last notification of each state. */
  readonly notifiedAt: { readonly armed: number | null; readonly fired: number | null };
  readonly eventSeq: number;
  readonly ended: 'expired' | 'deleted' | null;
}

/** Events that an alert accepts. */
export type AlertEvent =
  | { readonly type: 'ALERT.REARM'; readonly at: number }
  | { readonly type: 'ALERT.DELETED'; readonly at: number }
  | { readonly type: 'xstate.done.actor.read'; readonly output: AlertReading }
  | { readonly type: 'xstate.error.actor.read'; readonly error: unknown };

/** Creates the initial context of an alert; it is stale until the first reading. */
export function createAlertContext({ input }: { readonly input: AlertInput }): AlertContext {
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
