import type { PendingRow } from '../common/write-batcher.ts';

/** Maximum messages kept per session; the oldest are dropped first. */
export const SESSION_EVENTS_MAX = 256;
/** Maximum bytes of messages kept per session; the oldest are dropped first, the newest stays. */
export const SESSION_EVENT_BYTES_MAX = 1024 * 1024;

/** One message. */
export interface EventRow extends PendingRow {
  readonly n: number;
  readonly streamId: string;
  readonly sizeBytes: number;
}

/** The messages of a session. The newest are listed here; older ones may only be on disk. */
export class SessionEvents {
  rows: EventRow[] = [];
  /** Number of messages that are only on disk; they are older than the first one here. */
  olderCount = 0;
  /** Size of all messages. */
  sizeBytes = 0;
  /** Number of the next message. */
  next = 0;
  /** Number of the last write that affects this session. */
  lastWrite = 0;

  /** Whether a limit is exceeded. */
  get isOverLimit(): boolean {
    const count = this.olderCount + this.rows.length;
    if (count <= 1) return false;
    return count > SESSION_EVENTS_MAX || this.sizeBytes > SESSION_EVENT_BYTES_MAX;
  }

  get isEmpty(): boolean {
    return this.olderCount === 0 && this.rows.length === 0;
  }

  /** Appends a message. */
  add(streamId: string, json: string): EventRow {
    const row = { n: this.next, streamId, sizeBytes: Buffer.byteLength(json), json };
    this.next += 1;
    this.rows.push(row);
    this.sizeBytes += row.sizeBytes;
    return row;
  }

  /** Removes and returns the messages beyond the limits. All messages must be listed here. */
  takeOverflow(): readonly EventRow[] {
    const removed: EventRow[] = [];
    while (this.isOverLimit) {
      const row = this.rows.shift() as EventRow;
      this.sizeBytes -= row.sizeBytes;
      removed.push(row);
    }
    return removed;
  }

  /** Drops the list, which is completely on disk. */
  dropList(): void {
    this.olderCount += this.rows.length;
    this.rows = [];
  }
}
