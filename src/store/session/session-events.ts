import type { Written } from '../common/gathered-writes.ts';

/** Messages kept for one session; the oldest go first. */
export const SESSION_EVENTS_MAX = 256;
/** Bytes of messages kept for one session; the oldest go first, the newest always stays. */
export const SESSION_EVENT_BYTES_MAX = 1024 * 1024;

/** One message. */
export interface EventRow extends Written {
  readonly n: number;
  readonly streamId: string;
  readonly sizeBytes: number;
}

/** The messages of a session: the newest are listed here, older ones may be on disk alone. */
export class SessionEvents {
  rows: EventRow[] = [];
  /** Messages that only the disk knows; each has a smaller number than the first one here. */
  older = 0;
  /** Of all of them. */
  sizeBytes = 0;
  /** Number of the next message. */
  next = 0;
  /** The last write that changes something of this session. */
  write = 0;

  /** Whether the bounds are passed. */
  get isFull(): boolean {
    const count = this.older + this.rows.length;
    if (count <= 1) return false;
    return count > SESSION_EVENTS_MAX || this.sizeBytes > SESSION_EVENT_BYTES_MAX;
  }

  get isEmpty(): boolean {
    return this.older === 0 && this.rows.length === 0;
  }

  /** Adds a message behind the others. */
  add(streamId: string, json: string): EventRow {
    const row = { n: this.next, streamId, sizeBytes: Buffer.byteLength(json), json };
    this.next += 1;
    this.rows.push(row);
    this.sizeBytes += row.sizeBytes;
    return row;
  }

  /** Takes out what is over the bounds. All messages are listed when this is called. */
  overflow(): readonly EventRow[] {
    const gone: EventRow[] = [];
    while (this.isFull) {
      const row = this.rows.shift() as EventRow;
      this.sizeBytes -= row.sizeBytes;
      gone.push(row);
    }
    return gone;
  }

  /** Leaves the list to the disk, which has all of it. */
  unlist(): void {
    this.older += this.rows.length;
    this.rows = [];
  }
}
