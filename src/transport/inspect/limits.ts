import { MINUTE_MS, SECOND_MS } from '../../domain/common/time.ts';
import type { Rate } from '../mcp/call/token-buckets.ts';

/** Limits on one client of `/inspect`. Sizes are in bytes, times in milliseconds. */
export interface InspectLimits {
  /** Largest message from a client. */
  readonly messageBytesMax: number;
  /** Queue size for a slow client at which its subscriptions pause. */
  readonly waitingBytesMax: number;
  /** How long a client may stay blocked before it is disconnected. */
  readonly stuckMs: number;
  readonly subscriptionsMax: number;
  /** Reads and actions without an answer so far. */
  readonly openReadsMax: number;
  /** Rate of messages of any kind. A faster client is disconnected. */
  readonly messageRate: Rate;
  /** Messages without a readable id. At this number the client is disconnected. */
  readonly unreadableMax: number;
}

/** The default limits. */
export const INSPECT_LIMITS: InspectLimits = {
  messageBytesMax: 65_536,
  waitingBytesMax: 1_048_576,
  stuckMs: 30 * SECOND_MS,
  subscriptionsMax: 32,
  openReadsMax: 16,
  // 60 per second: dragging the timeline sends one read per animation frame.
  messageRate: { burst: 240, perMinute: (60 * MINUTE_MS) / SECOND_MS },
  unreadableMax: 4,
};

/** Reasons for which `/inspect` closes a socket. `SOCKET_CLOSES` has those of the engine. */
export const INSPECT_CLOSES = {
  malformed: { code: 4400, reason: 'too many malformed messages' },
  sessionExpired: { code: 4401, reason: 'session expired; sign in again' },
  flood: { code: 4008, reason: 'too many messages' },
  stuck: { code: 4009, reason: 'client too slow' },
} as const;
