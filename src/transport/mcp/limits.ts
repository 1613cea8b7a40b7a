import { MINUTE_MS, SECOND_MS } from '../../domain/common/time.ts';
import type { Rate } from './call/token-buckets.ts';

/** Limits of the front. Sizes are in bytes, times in milliseconds. */
export interface FrontLimits {
  readonly bodyBytesMax: number;
  /** Largest body on routes without a token, where parsing costs time for unknown callers. */
  readonly openBodyBytesMax: number;
  /** Queue size behind a blocked socket at which its reader is dropped. */
  readonly streamWaitingBytesMax: number;
  readonly sessionsMax: number;
  /** Sessions per remote address. For local addresses, only the total limit applies. */
  readonly sessionsPerPrincipalMax: number;
  readonly sessionIdleMs: number;
  readonly callsMax: number;
  readonly callsPerSessionMax: number;
  readonly batchMax: number;
  /** Delay after which a running call switches from a plain reply to a stream. */
  readonly upgradeAfterMs: number;
  readonly keepAliveMs: number;
  /** How long a dropped stream may be resumed before its call counts as abandoned. */
  readonly resumeGraceMs: number;
  /** How long open replies may take when the front closes. */
  readonly closeGraceMs: number;
  /** JSON-RPC requests per principal, of any method. */
  readonly requestRate: Rate;
  /** New sessions per principal. */
  readonly sessionRate: Rate;
  /** Calls per principal of one free tool that accesses external systems. */
  readonly toolCallRate: Rate;
  /** Largest number of tracked principals (and principal and tool pairs), for each rate. */
  readonly rateBucketsMax: number;
  /** Whether the rates also apply to local callers. */
  readonly limitsLocalCallers: boolean;
}

/** The default limits. */
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

/** Interval between checks of open calls and streams. */
export const TICK_MS = 500;
/** Interval between checks for idle sessions. */
export const SWEEP_MS = MINUTE_MS;
/** Shortest interval between updates of a session's last use. */
export const TOUCH_MS = MINUTE_MS;
/** Delay before a client resumes a stream. */
export const RETRY_MS = 1_000;
/** Largest call that is stored for a repetition after a restart, in characters of JSON. */
export const REPEAT_CHARS_MAX = 262_144;
