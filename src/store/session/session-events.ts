import type { PendingRow } from '../common/write-batcher.ts';

/** Maximum messages kept per session; the oldest are dropped first. */
export const SESSION_EVENTS_MAX = 256;
/** Maximum bytes of messages kept per session; the oldest are dropped first, the newest stays. */
export const SESSION_EVENT_BYTES_MAX = 1024 * 1024;

/** Maximum messages in one row. More would keep too many dropped ones on disk. */
const ROW_MESSAGES_MAX = 32;
/** Size at which a row takes no more messages, in characters. */
const ROW_CHARS_MAX = 16_384;

/**
 * One row on disk: consecutive messages of a session, under the number of the first. Most streams
 * send several within one write, and a row costs more than its text.
 */
export interface EventRow extends PendingRow {
  readonly first: number;
  last: number;
}

/** One message. */
export interface StoredEvent {
  readonly n: number;
  readonly streamId: string;
  readonly sizeBytes: number;
  readonly row: EventRow;
}

/** Separates the messages of a row. JSON has no such character. */
const SEPARATOR = '\0';

/** Parses the text of a row: of each message its stream, a line break and its JSON. */
export function parseRow(first: number, text: string): readonly StoredEvent[] {
  const parts = text.split(SEPARATOR);
  const row: EventRow = { first, last: first + parts.length - 1, json: undefined };
  return parts.map((part, at) => {
    const cut = part.indexOf('\n');
    const sizeBytes = Buffer.byteLength(part) - cut - 1;
    return { n: first + at, streamId: part.slice(0, cut), sizeBytes, row };
  });
}

/** Returns the JSON of a message from the text of its row. */
export function readMessage({ n, row }: StoredEvent, text: string): string {
  const part = text.split(SEPARATOR)[n - row.first] ?? '';
  return part.slice(part.indexOf('\n') + 1);
}

/** The messages of a session. The newest are listed here; older ones may only be on disk. */
export class SessionEvents {
  messages: StoredEvent[] = [];
  /** Number of messages that are only on disk; they are older than the first one here. */
  olderCount = 0;
  /** Size of all messages. */
  sizeBytes = 0;
  /** Number of the next message. */
  next = 0;
  /** Number of the oldest message that is not dropped. Its row may hold dropped ones. */
  oldest = 0;
  /** Number of the last write that affects this session. */
  lastWrite = 0;
  /** The row that takes further messages, and the write that it belongs to. */
  #open: { readonly row: EventRow; readonly write: number } | undefined;

  /** Whether a limit is exceeded. */
  get isOverLimit(): boolean {
    const count = this.olderCount + this.messages.length;
    if (count <= 1) return false;
    return count > SESSION_EVENTS_MAX || this.sizeBytes > SESSION_EVENT_BYTES_MAX;
  }

  get isEmpty(): boolean {
    return this.olderCount === 0 && this.messages.length === 0;
  }

  /**
   * Appends a message.
   *
   * @param write - Number of the write that contains it.
   * @returns The row that has it now.
   */
  add(streamId: string, json: string, write: number): EventRow {
    const n = this.next;
    const row = this.#openRow(n, write);
    const text = `${streamId}\n${json}`;
    row.json = row.json === undefined ? text : `${row.json}${SEPARATOR}${text}`;
    row.last = n;
    const message = { n, streamId, sizeBytes: Buffer.byteLength(json), row };
    this.next += 1;
    this.messages.push(message);
    this.sizeBytes += message.sizeBytes;
    return row;
  }

  /** Removes and returns the messages beyond the limits. All messages must be listed here. */
  takeOverflow(): readonly StoredEvent[] {
    const removed: StoredEvent[] = [];
    while (this.isOverLimit) {
      const message = this.messages.shift() as StoredEvent;
      this.sizeBytes -= message.sizeBytes;
      this.oldest = message.n + 1;
      removed.push(message);
    }
    return removed;
  }

  /** Drops the list, which is completely on disk. */
  dropList(): void {
    this.olderCount += this.messages.length;
    this.messages = [];
  }

  #openRow(n: number, write: number): EventRow {
    const open = this.#open;
    const isFull =
      open?.row.json === undefined ||
      open.row.json.length >= ROW_CHARS_MAX ||
      n - open.row.first >= ROW_MESSAGES_MAX;
    if (open !== undefined && open.write === write && !isFull) return open.row;
    const row: EventRow = { first: n, last: n, json: undefined };
    this.#open = { row, write };
    return row;
  }
}
