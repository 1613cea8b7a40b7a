import { MINUTE_MS, SECOND_MS } from '../../domain/common/time.ts';
import type { Rate } from './call/token-buckets.ts';

/** What bounds the front. Sizes in bytes, times in milliseconds. */
export interface FrontLimits {
  readonly bodyBytesMax: number;
  /** The same where no token is needed: reading costs time before anything is known of a body. */
  readonly openBodyBytesMax: number;
  /** What may wait behind a reader's blocked socket before it is dropped. */
  readonly streamWaitingBytesMax: number;
  readonly sessionsMax: number;
  /** Sessions of one remote address; addresses of this machine are bounded by the total only. */
  readonly sessionsPerPrincipalMax: number;
  readonly sessionIdleMs: number;
  readonly callsMax: number;
  readonly callsPerSessionMax: number;
  readonly batchMax: number;
  /** When a call that runs on is moved from a plain answer to a stream. */
  readonly upgradeAfterMs: number;
  readonly keepAliveMs: number;
  /** How long a dropped stream may be resumed before its call is told that the caller has gone. */
  readonly resumeGraceMs: number;
  /** How long open answers may take when the front closes. */
  readonly closeGraceMs: number;
  /** JSON-RPC requests of one principal, of any method. */
  readonly requestRate: Rate;
  /** Sessions that one principal begins. */
  readonly sessionRate: Rate;
  /** Calls by one principal of one tool that is free and works outside. */
  readonly toolCallRate: Rate;
  /** Principals, and principals with a tool, whose rates are kept in memory, for each rate. */
  readonly rateBucketsMax: number;
  /** Whether the rates hold for callers on this machine too. */
  readonly limitsLocalCallers: boolean;
}

/** The limits that hold unless told otherwise. */
export const FRONT_LIMITS: FrontLimits = {
  bodyBytesMax: 4_194_304,
  openBodyBytesMax: 1_048_576,
  streamWaitingBytesMax: 1_048_576,
  sessionsMax: 20_000,
  sessionsPerPrincipalMax: 1_000,
  sessionIdleMs: 30 * MINUTE_MS,
  callsMax: 4_096,
  callsPerSessionMax: 64,
  batchMax: 50,
  upgradeAfterMs: 2 * SECOND_MS,
  keepAliveMs: 15 * SECOND_MS,
  resumeGraceMs: MINUTE_MS,
  closeGraceMs: 5 * SECOND_MS,
  requestRate: { burst: 600, perMinute: 1_200 },
  sessionRate: { burst: 60, perMinute: 60 },
  toolCallRate: { burst: 20, perMinute: 30 },
  rateBucketsMax: 20_000,
  limitsLocalCallers: false,
};

/** How often waiting calls and open streams are looked at. */
export const TICK_MS = 500;
/** How often idle sessions are looked for. */
export const SWEEP_MS = MINUTE_MS;
/** A session's last use is written down at most this often. */
export const TOUCH_MS = MINUTE_MS;
/** What a client is asked to wait before it resumes a stream. */
export const RETRY_MS = 1_000;
/** Longest call that is written down to be made again after a restart, in characters of JSON. */
export const REPEAT_CHARS_MAX = 262_144;
