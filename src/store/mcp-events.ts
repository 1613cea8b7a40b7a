import type { McpEventLog, McpEventRow } from '../domain/ports/mcp-state.ts';
import { systemClock } from '../runtime/clock.ts';
import type { RuntimeClock } from '../runtime/ports.ts';
import type { Environment } from './environment.ts';
import { scan } from './environment.ts';
import { GatheredWrites, type Written } from './gathered-writes.ts';
import type { Texts } from './table.ts';

/** Messages kept for one session; the oldest go first. */
export const SESSION_EVENTS_MAX = 256;
/** Bytes of messages kept for one session; the oldest go first, the newest always stays. */
export const SESSION_EVENT_BYTES_MAX = 1024 * 1024;
/** Sessions whose list of messages is in memory. */
const LOADED_MAX = 2_000;
/** Numbers left out after a restart: the last ones given out may not have reached the disk. */
const RESTART_GAP = 1_000;

/**
 * Messages for replay by Last-Event-ID, on disk. Rows are `[sessionId, n]`. What is appended can be
 * read at once; it is written some milliseconds later, many messages at a time.
 */
export class LmdbEventLog implements McpEventLog {
  readonly #db: Texts;
  readonly #writes: GatheredWrites<Written>;
  readonly #sessions = new Map<string, SessionEvents>();

  constructor(environment: Environment, clock: RuntimeClock = systemClock()) {
    this.#db = environment.texts('events');
    this.#writes = new GatheredWrites(environment, clock, forgetTexts);
  }

  /** What this log writes with; whoever shares it is on disk together with the messages. */
  get writes(): GatheredWrites<Written> {
    return this.#writes;
  }

  append(sessionId: string, streamId: string, json: string): string {
    const session = this.#session(sessionId);
    const row: EventRow = { n: session.next, streamId, sizeBytes: Buffer.byteLength(json), json };
    session.next += 1;
    session.rows.push(row);
    session.sizeBytes += row.sizeBytes;
    const op = { db: this.#db, key: [sessionId, row.n], text: `${streamId}\n${json}` };
    session.write = this.#writes.put(row, op);
    this.#remove(sessionId, session, overflow(session));
    return `${streamId}:${row.n}`;
  }

  after(sessionId: string, eventId: string): readonly McpEventRow[] | undefined {
    const { rows } = this.#session(sessionId);
    const at = rows.findIndex((row) => `${row.streamId}:${row.n}` === eventId);
    const streamId = rows[at]?.streamId;
    if (streamId === undefined) return undefined;
    return rows
      .slice(at + 1)
      .filter((row) => row.streamId === streamId)
      .map((row) => ({ eventId: `${streamId}:${row.n}`, json: this.#json(sessionId, row) }));
  }

  last(sessionId: string, streamId: string): McpEventRow | undefined {
    const row = this.#session(sessionId).rows.findLast((one) => one.streamId === streamId);
    if (row === undefined) return undefined;
    return { eventId: `${streamId}:${row.n}`, json: this.#json(sessionId, row) };
  }

  dropSession(sessionId: string): void {
    const { rows, next, write } = this.#session(sessionId);
    // Until the disk has lost the rows, a list without them stands in front of it.
    const empty: SessionEvents = { rows: [], sizeBytes: 0, next, write };
    this.#sessions.set(sessionId, empty);
    this.#remove(sessionId, empty, rows);
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
    this.#forgetOldest();
    const session = this.#load(sessionId);
    this.#sessions.set(sessionId, session);
    return session;
  }

  #load(sessionId: string): SessionEvents {
    const session: SessionEvents = { rows: [], sizeBytes: 0, next: 0, write: 0 };
    scan(this.#db, [sessionId], (key, text) => {
      const cut = text.indexOf('\n');
      const sizeBytes = Buffer.byteLength(text) - cut - 1;
      const n = key[1] as number;
      session.rows.push({ n, streamId: text.slice(0, cut), sizeBytes, json: undefined });
      session.sizeBytes += sizeBytes;
      session.next = n + RESTART_GAP;
      return true;
    });
    return session;
  }

  /** Lists whose changes are all on disk can be read again from there. */
  #forgetOldest(): void {
    if (this.#sessions.size < LOADED_MAX) return;
    for (const [sessionId, { write }] of this.#sessions) {
      if (write > this.#writes.written) continue;
      this.#sessions.delete(sessionId);
      return;
    }
  }
}

interface EventRow extends Written {
  readonly n: number;
  readonly streamId: string;
  readonly sizeBytes: number;
}

interface SessionEvents {
  readonly rows: EventRow[];
  sizeBytes: number;
  next: number;
  /** The last write that changes something of this session. */
  write: number;
}

// Until the disk has a text, a read of the database would not see it.
function forgetTexts(rows: readonly Written[]): void {
  for (const row of rows) row.json = undefined;
}

function overflow(session: SessionEvents): readonly EventRow[] {
  const gone: EventRow[] = [];
  const isFull = () =>
    session.rows.length > SESSION_EVENTS_MAX || session.sizeBytes > SESSION_EVENT_BYTES_MAX;
  while (isFull() && session.rows.length > 1) {
    const row = session.rows.shift() as EventRow;
    session.sizeBytes -= row.sizeBytes;
    gone.push(row);
  }
  return gone;
}
