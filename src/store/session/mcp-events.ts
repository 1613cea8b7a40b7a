import type { McpEventLog, McpEventRow } from '../../domain/session/mcp-state.ts';
import type { RuntimeClock } from '../../runtime/engine/ports.ts';
import { systemClock } from '../../runtime/timer/clock.ts';
import type { Environment } from '../common/environment.ts';
import { scan } from '../common/environment.ts';
import type { TextTable } from '../common/text-table.ts';
import { type PendingRow, WriteBatcher } from '../common/write-batcher.ts';
import { parseRow, readMessage, SessionEvents, type StoredEvent } from './session-events.ts';

/** Maximum sessions whose message list is in memory; for the others only the count is. */
const LISTED_SESSIONS_MAX = 2_000;
/** Message numbers skipped after a restart, because the last ones assigned may not be on disk. */
const RESTART_GAP = 1_000;

/**
 * Messages for replay by Last-Event-ID, on disk. Rows are `[sessionId, n]`, where `n` is the number
 * of their first message. Appended messages can be read immediately and are written a few
 * milliseconds later, in batches.
 *
 * Appending never reads: a read transaction concurrent with the writes keeps LMDB from reusing free
 * pages, so the file grows with each write.
 */
export class LmdbEventLog implements McpEventLog {
  readonly #db: TextTable;
  readonly #writes: WriteBatcher<PendingRow>;
  readonly #sessions = new Map<string, SessionEvents>();
  /** Sessions with a list, in the order in which they were listed. */
  readonly #listed = new Set<SessionEvents>();
  /** Ended sessions, with the write that removes their rows. */
  readonly #ended = new Map<string, number>();
  /** The last session on disk when this log was opened; later ones have no older rows. */
  readonly #lastStoredSession: string | undefined;

  constructor(environment: Environment, clock: RuntimeClock = systemClock()) {
    this.#db = environment.openTable('events');
    this.#writes = new WriteBatcher(environment, clock, dropTexts);
    const [last] = this.#db.getKeys({ reverse: true, limit: 1 });
    this.#lastStoredSession =
      last === undefined ? undefined : String((last as readonly unknown[])[0]);
  }

  /** The write batcher of this log. Rows written through it reach the disk with the messages. */
  get writes(): WriteBatcher<PendingRow> {
    return this.#writes;
  }

  append(sessionId: string, streamId: string, json: string): string {
    const session = this.#findSession(sessionId);
    const n = session.next;
    const row = session.add(streamId, json, this.#writes.next);
    const op = { db: this.#db, key: [sessionId, row.first], text: row.json ?? '' };
    session.lastWrite = this.#writes.put(row, op);
    this.#trackList(session);
    if (session.isOverLimit) {
      this.#readOlder(sessionId, session);
      this.#remove(sessionId, session, session.takeOverflow());
    }
    return `${streamId}:${n}`;
  }

  after(sessionId: string, eventId: string): readonly McpEventRow[] | undefined {
    const messages = this.#readMessages(sessionId);
    const at = messages.findIndex(({ streamId, n }) => `${streamId}:${n}` === eventId);
    const streamId = messages[at]?.streamId;
    if (streamId === undefined) return undefined;
    return messages
      .slice(at + 1)
      .filter((message) => message.streamId === streamId)
      .map((message) => this.#toEvent(sessionId, message));
  }

  last(sessionId: string, streamId: string): McpEventRow | undefined {
    const found = this.#readMessages(sessionId).findLast((one) => one.streamId === streamId);
    return found === undefined ? undefined : this.#toEvent(sessionId, found);
  }

  dropSession(sessionId: string): void {
    const messages = this.#readMessages(sessionId);
    const previous = this.#findSession(sessionId);
    this.#listed.delete(previous);
    // Until the rows are removed from disk, an empty list hides them.
    const empty = new SessionEvents();
    empty.next = previous.next;
    empty.oldest = previous.next;
    empty.lastWrite = previous.lastWrite;
    this.#sessions.set(sessionId, empty);
    this.#remove(sessionId, empty, messages);
    this.#forgetEnded();
    this.#ended.set(sessionId, empty.lastWrite);
  }

  /** Starts writing the collected rows; closing the environment waits for it. */
  close(): void {
    this.#writes.close();
  }

  /** Removes the oldest messages. A row goes with its last one. */
  #remove(sessionId: string, session: SessionEvents, messages: readonly StoredEvent[]): void {
    for (const { n, row } of messages) {
      if (n < row.last) continue;
      session.lastWrite = this.#writes.remove(row, { db: this.#db, key: [sessionId, row.first] });
    }
  }

  #toEvent(sessionId: string, message: StoredEvent): McpEventRow {
    const { n, row, streamId } = message;
    const text = row.json ?? this.#db.get([sessionId, row.first]) ?? '';
    return { eventId: `${streamId}:${n}`, json: readMessage(message, text) };
  }

  #findSession(sessionId: string): SessionEvents {
    const known = this.#sessions.get(sessionId);
    if (known !== undefined) return known;
    const session = new SessionEvents();
    this.#sessions.set(sessionId, session);
    if (this.#lastStoredSession === undefined || sessionId > this.#lastStoredSession)
      return session;
    const messages = this.#read(sessionId, { from: 0, before: Number.POSITIVE_INFINITY });
    const last = messages.at(-1);
    session.olderCount = messages.length;
    session.next = last === undefined ? 0 : last.n + RESTART_GAP;
    for (const { sizeBytes } of messages) session.sizeBytes += sizeBytes;
    return session;
  }

  /** Returns all messages of a session. */
  #readMessages(sessionId: string): readonly StoredEvent[] {
    const session = this.#findSession(sessionId);
    this.#readOlder(sessionId, session);
    return session.messages;
  }

  #readOlder(sessionId: string, session: SessionEvents): void {
    if (session.olderCount === 0) return;
    const before = session.messages[0]?.n ?? Number.POSITIVE_INFINITY;
    const older = this.#read(sessionId, { from: session.oldest, before });
    session.messages.unshift(...older);
    session.olderCount = 0;
    this.#trackList(session);
  }

  /** Returns the messages on disk in a range of numbers. */
  #read(sessionId: string, range: { readonly from: number; readonly before: number }) {
    const messages: StoredEvent[] = [];
    scan(this.#db, [sessionId], (key, text) => {
      const first = key[1] as number;
      if (first >= range.before) return false;
      for (const message of parseRow(first, text)) {
        if (message.n >= range.from && message.n < range.before) messages.push(message);
      }
      return true;
    });
    return messages;
  }

  /**
   * Registers a session's list. Above the limit, the list of another session that is fully on disk
   * is dropped.
   */
  #trackList(session: SessionEvents): void {
    if (this.#listed.has(session)) return;
    this.#listed.add(session);
    if (this.#listed.size <= LISTED_SESSIONS_MAX) return;
    for (const one of this.#listed) {
      if (one === session || one.lastWrite > this.#writes.written) continue;
      one.dropList();
      this.#listed.delete(one);
      return;
    }
  }

  #forgetEnded(): void {
    for (const [sessionId, write] of this.#ended) {
      if (write > this.#writes.written) return;
      this.#ended.delete(sessionId);
      // Another message may have been appended in the meantime.
      if (this.#sessions.get(sessionId)?.isEmpty === true) this.#sessions.delete(sessionId);
    }
  }
}

// Until a text is on disk, a database read would not return it.
function dropTexts(rows: readonly PendingRow[]): void {
  for (const row of rows) row.json = undefined;
}
