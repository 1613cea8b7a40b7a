import { MINUTE_MS, SECOND_MS } from '../../domain/common/time.ts';
import type { Rate } from '../mcp/call/token-buckets.ts';

/** What bounds one client of `/inspect`. Sizes in bytes, times in milliseconds. */
export interface InspectLimits {
  /** One message of a client. */
  readonly messageBytesMax: number;
  /** What may wait for a slow client before its subscriptions pause. */
  readonly waitingBytesMax: number;
  /** How long a client may stay behind before it is closed. */
  readonly stuckMs: number;
  readonly subscriptionsMax: number;
  /** Reads and actions that have not been answered. */
  readonly openReadsMax: number;
  /** Messages of any kind; more close the socket. */
  readonly messageRate: Rate;
  /** Messages without a readable id; the last of them closes the socket. */
  readonly unreadableMax: number;
}

/** The limits that hold unless told otherwise. */
export const INSPECT_LIMITS: InspectLimits = {
  messageBytesMax: 65_536,
  waitingBytesMax: 1_048_576,
  stuckMs: 30 * SECOND_MS,
  subscriptionsMax: 32,
  openReadsMax: 16,
  // 60 a second: a person who drags a time line asks once a drawn frame.
  messageRate: { burst: 240, perMinute: (60 * MINUTE_MS) / SECOND_MS },
  unreadableMax: 4,
};

/** Why `/inspect` ends a socket; those of the engine are `SOCKET_CLOSES`. */
export const INSPECT_CLOSES = {
  malformed: { code: 4400, reason: 'too many malformed messages' },
  entryOver: { code: 4401, reason: 'the entry has ended; enter again' },
  flood: { code: 4008, reason: 'too many messages' },
  stuck: { code: 4009, reason: 'too slow for too long' },
} as const;
