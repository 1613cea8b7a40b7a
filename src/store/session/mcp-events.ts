import type { McpEventLog, McpEventRow } from '../../domain/session/mcp-state.ts';
import type { RuntimeClock } from '../../runtime/engine/ports.ts';
import { systemClock } from '../../runtime/timer/clock.ts';
import type { Environment } from '../common/environment.ts';
import { scan } from '../common/environment.ts';
import { GatheredWrites, type Written } from '../common/gathered-writes.ts';
import type { Texts } from '../common/table.ts';
import { type EventRow, SessionEvents } from './session-events.ts';

/** Sessions whose list of messages is in memory. Of the others it is how many there are. */
const LISTED_MAX = 2_000;
/** Numbers left out after a restart: the last ones given out may not have reached the disk. */
const RESTART_GAP = 1_000;

/**
 * Messages for replay by Last-Event-ID, on disk. Rows are `[sessionId, n]`. What is appended can be
 * read at once; it is written some milliseconds later, many messages at a time.
 *
 * To append reads nothing: a read that goes on beside the writes keeps LMDB from using its free
 * pages again, and the file grows by some pages with each write.
 */
export class LmdbEventLog implements McpEventLog {
  readonly #db: Texts;
  readonly #writes: GatheredWrites<Written>;
  readonly #sessions = new Map<string, SessionEvents>();
  /** Those with a list, the one listed longest ago first. */
  readonly #listed = new Set<SessionEvents>();
  /** Sessions that have ended, with the write that takes their rows away. */
  readonly #ended = new Map<string, number>();
  /** The last session on disk when this log was opened: one behind it has no rows from before. */
  readonly #lastBefore: string | undefined;

  constructor(environment: Environment, clock: RuntimeClock = systemClock()) {
    this.#db = environment.texts('events');
    this.#writes = new GatheredWrites(environment, clock, forgetTexts);
    const [last] = this.#db.getKeys({ reverse: true, limit: 1 });
    this.#lastBefore = last === undefined ? undefined : String((last as readonly unknown[])[0]);
  }

  /** What this log writes with; whoever shares it is on disk together with the messages. */
  get writes(): GatheredWrites<Written> {
    return this.#writes;
  }

  append(sessionId: string, streamId: string, json: string): string {
    const session = this.#session(sessionId);
    const row = session.add(streamId, json);
    const op = { db: this.#db, key: [sessionId, row.n], text: `${streamId}\n${json}` };
    session.write = this.#writes.put(row, op);
    this.#list(session);
    if (session.isFull) {
      this.#readOlder(sessionId, session);
      this.#remove(sessionId, session, session.overflow());
    }
    return `${streamId}:${row.n}`;
  }

  after(sessionId: string, eventId: string): readonly McpEventRow[] | undefined {
    const rows = this.#rows(sessionId);
    const at = rows.findIndex((row) => `${row.streamId}:${row.n}` === eventId);
    const streamId = rows[at]?.streamId;
    if (streamId === undefined) return undefined;
    return rows
      .slice(at + 1)
      .filter((row) => row.streamId === streamId)
      .map((row) => ({ eventId: `${streamId}:${row.n}`, json: this.#json(sessionId, row) }));
  }

  last(sessionId: string, streamId: string): McpEventRow | undefined {
    const row = this.#rows(sessionId).findLast((one) => one.streamId === streamId);
    if (row === undefined) return undefined;
    return { eventId: `${streamId}:${row.n}`, json: this.#json(sessionId, row) };
  }

  dropSession(sessionId: string): void {
    const rows = this.#rows(sessionId);
    const former = this.#session(sessionId);
    this.#listed.delete(former);
    // Until the disk has lost the rows, a list without them stands in front of it.
    const empty = new SessionEvents();
    empty.next = former.next;
    empty.write = former.write;
    this.#sessions.set(sessionId, empty);
    this.#remove(sessionId, empty, rows);
    this.#forgetEnded();
    this.#ended.set(sessionId, empty.write);
  }

  /** Hands over what is gathered; closing the environment waits for it. */
  close(): void {
    this.#writes.close();
  }

  #remove(sessionId: string, session: SessionEvents, rows: readonly EventRow[]): void {
    for (const row of rows) {
      session.write = this.#writes.remove(row, { db: this.#db, key: [sessionId, row.n] });
    }
  }

  #json(sessionId: string, row: EventRow): string {
    if (row.json !== undefined) return row.json;
    const text = this.#db.get([sessionId, row.n]) ?? '';
    return text.slice(text.indexOf('\n') + 1);
  }

  #session(sessionId: string): SessionEvents {
    const known = this.#sessions.get(sessionId);
    if (known !== undefined) return known;
    const session = new SessionEvents();
    this.#sessions.set(sessionId, session);
    if (this.#lastBefore === undefined || sessionId > this.#lastBefore) return session;
    const rows = this.#read(sessionId, Number.POSITIVE_INFINITY);
    const last = rows.at(-1);
    session.older = rows.length;
    session.next = last === undefined ? 0 : last.n + RESTART_GAP;
    for (const { sizeBytes } of rows) session.sizeBytes += sizeBytes;
    return session;
  }

  /** All messages of a session. */
  #rows(sessionId: string): readonly EventRow[] {
    const session = this.#session(sessionId);
    this.#readOlder(sessionId, session);
    return session.rows;
  }

  #readOlder(sessionId: string, session: SessionEvents): void {
    if (session.older === 0) return;
    const older = this.#read(sessionId, session.rows[0]?.n ?? Number.POSITIVE_INFINITY);
    session.rows.unshift(...older);
    session.older = 0;
    this.#list(session);
  }

  /** The rows on disk below a number. */
  #read(sessionId: string, before: number): EventRow[] {
    const rows: EventRow[] = [];
    scan(this.#db, [sessionId], (key, text) => {
      const n = key[1] as number;
      if (n >= before) return false;
      const cut = text.indexOf('\n');
      const sizeBytes = Buffer.byteLength(text) - cut - 1;
      rows.push({ n, streamId: text.slice(0, cut), sizeBytes, json: undefined });
      return true;
    });
    return rows;
  }

  /** Notes that a session has a list; one whose rows are all on disk gives its own up for it. */
  #list(session: SessionEvents): void {
    if (this.#listed.has(session)) return;
    this.#listed.add(session);
    if (this.#listed.size <= LISTED_MAX) return;
    for (const one of this.#listed) {
      if (one === session || one.write > this.#writes.written) continue;
      one.unlist();
      this.#listed.delete(one);
      return;
    }
  }

  #forgetEnded(): void {
    for (const [sessionId, write] of this.#ended) {
      if (write > this.#writes.written) return;
      this.#ended.delete(sessionId);
      // Something may have been said in it once more.
      if (this.#sessions.get(sessionId)?.isEmpty === true) this.#sessions.delete(sessionId);
    }
  }
}

// Until the disk has a text, a read of the database would not see it.
function forgetTexts(rows: readonly Written[]): void {
  for (const row of rows) row.json = undefined;
}
