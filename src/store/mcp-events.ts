import type { McpEventLog, McpEventRow } from '../domain/ports/mcp-state.ts';
import type { Environment, Op, Texts } from './environment.ts';
import { scan } from './environment.ts';

/** Messages kept for one session; the oldest go first. */
export const SESSION_EVENTS_MAX = 256;
/** Bytes of messages kept for one session; the oldest go first, the newest always stays. */
export const SESSION_EVENT_BYTES_MAX = 1024 * 1024;
/** Sessions whose list of messages is in memory. */
const LOADED_MAX = 2_000;
/** Numbers left out after a restart: the last ones given out may not have reached the disk. */
const RESTART_GAP = 1_000;

/** Messages for replay by Last-Event-ID, on disk. Rows are `[sessionId, n]`. */
export class LmdbEventLog implements McpEventLog {
  readonly #environment: Environment;
  readonly #db: Texts;
  readonly #sessions = new Map<string, SessionEvents>();

  constructor(environment: Environment) {
    this.#environment = environment;
    this.#db = environment.texts('events');
  }

  append(sessionId: string, streamId: string, json: string): string {
    const session = this.#session(sessionId);
    const row: EventRow = { n: session.next, streamId, sizeBytes: Buffer.byteLength(json), json };
    session.next += 1;
    session.rows.push(row);
    session.sizeBytes += row.sizeBytes;
    const text = `${streamId}\n${json}`;
    const ops: Op[] = [{ db: this.#db, key: [sessionId, row.n], text }];
    for (const { n } of overflow(session)) ops.push({ db: this.#db, key: [sessionId, n] });
    // Until the disk has it, the text stays here: a read of the database would not see it.
    this.#environment.write(ops, () => {
      row.json = undefined;
    });
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

  dropSession(sessionId: string): void {
    const { rows } = this.#session(sessionId);
    this.#sessions.delete(sessionId);
    this.#environment.write(rows.map(({ n }) => ({ db: this.#db, key: [sessionId, n] })));
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
    const session: SessionEvents = { rows: [], sizeBytes: 0, next: 0 };
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

  /** Lists whose texts are all on disk can be read again from there. */
  #forgetOldest(): void {
    if (this.#sessions.size < LOADED_MAX) return;
    for (const [sessionId, { rows }] of this.#sessions) {
      if (rows.some(({ json }) => json !== undefined)) continue;
      this.#sessions.delete(sessionId);
      return;
    }
  }
}

interface EventRow {
  readonly n: number;
  readonly streamId: string;
  readonly sizeBytes: number;
  json: string | undefined;
}

interface SessionEvents {
  readonly rows: EventRow[];
  sizeBytes: number;
  next: number;
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
