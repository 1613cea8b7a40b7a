import { EngineError } from '../engine/error.ts';
import type {
  CrashRow,
  DueTimer,
  IdempotencyRow,
  OutboxRow,
  RowChange,
  SnapshotRow,
  StoredActor,
  SyncEngineStore,
  Write,
} from '../engine/ports.ts';
import { isInState } from '../engine/snapshot.ts';
import type {
  DeadLetter,
  EffectRow,
  JournalEntry,
  ListQuery,
  ListRow,
  Page,
  TimerRow,
} from '../engine/types.ts';
import type { JournalTrim } from '../journal/journal-trim.ts';
import { findTrimSeq } from '../journal/journal-trim.ts';
import { MemoryQueues } from '../queue/memory-queues.ts';
import type { SlotRow, WaitingPlace, WaitingRow } from '../queue/queue-ports.ts';
import { MemorySearch } from '../search/memory-search.ts';
import { searchActors } from '../search/search-actors.ts';
import type { SystemIdRow } from '../system/system-ports.ts';
import { compareDue } from '../timer/earliest.ts';
import type { ScheduleRow } from '../timer/schedule-ports.ts';
import { deepFreeze } from '../value/plain.ts';

/** Options of `memoryStore`. */
export interface MemoryStoreOptions {
  /** Runs before every commit; an exception fails the commit. For fault tests. */
  readonly beforeCommit?: (writes: readonly Write[]) => void | Promise<void>;
  /** Implements `hasRoom`. Default: always true. */
  readonly hasRoom?: () => boolean;
}

/** Creates an engine store in memory, for tests and for engines that need no persistence. */
export function memoryStore(options: MemoryStoreOptions = {}): SyncEngineStore {
  return new MemoryStore(options);
}

const LIST_LIMIT = 100;
const LIST_LIMIT_MAX = 1_000;
const TRIM_MAX = 1_000;
/** How long dead letters are kept, in milliseconds. */
const DEAD_LETTERS_KEPT_MS = 400 * 24 * 60 * 60 * 1_000;

class MemoryStore implements SyncEngineStore {
  readonly #options: MemoryStoreOptions;
  readonly #actors = new Map<string, ActorRows>();
  readonly #feed = new Map<number, JournalEntry>();
  readonly #outbox = new Map<string, OutboxRow>();
  readonly #dead = new Map<string, DeadLetter>();
  readonly #crashes = new Map<string, CrashRow>();
  readonly #queues = new MemoryQueues();
  readonly #schedules = new Map<string, ScheduleRow>();
  readonly #marks = new Map<string, string>();
  readonly #search = new MemorySearch((id) => {
    const rows = this.#actors.get(id);
    return rows === undefined ? undefined : toListed(rows);
  });
  readonly #systemIds = new Map<string, SystemIdRow>();
  #tail: Promise<void> = Promise.resolve();
  #lastGlobalSeq = 0;
  #closed = false;

  constructor(options: MemoryStoreOptions) {
    this.#options = options;
  }

  commit(writes: readonly Write[]): Promise<void> {
    // Rows are stored as JSON, so that a test sees what a disk would return.
    const rows = deepFreeze(JSON.parse(JSON.stringify(writes)) as readonly Write[]);
    const done = this.#tail.then(async () => {
      if (this.#closed) throw new EngineError('STORE_FAILED', 'The store is closed.');
      await this.#options.beforeCommit?.(rows);
      for (const row of rows) this.#apply(row);
    });
    this.#tail = done.catch(() => undefined);
    return done;
  }

  load(id: string): StoredActor | undefined {
    return this.loadAt(id, Number.POSITIVE_INFINITY);
  }

  loadAt(id: string, seq: number): StoredActor | undefined {
    const rows = this.#actors.get(id);
    const snapshot = rows?.snapshots.findLast((row) => row.seq <= seq);
    if (rows === undefined || snapshot === undefined) return undefined;
    const entries = rows.journal.filter((row) => row.seq > snapshot.seq && row.seq <= seq);
    const tail = entries.map((row) => {
      const change = rows.changes.get(row.seq);
      return change === undefined ? row : { ...row, change };
    });
    return {
      snapshot,
      tail,
      timers: [...rows.timers.values()],
      effects: [...rows.effects.values()],
    };
  }

  idempotency(id: string, key: string): IdempotencyRow | undefined {
    return this.#actors.get(id)?.idempotency.get(key);
  }

  readJournal(id: string, from: number, limit: number): readonly JournalEntry[] {
    const rows = this.#actors.get(id)?.journal ?? [];
    return rows.filter((row) => row.seq >= from).slice(0, limit);
  }

  feed(fromGlobalSeq: number, limit: number): readonly JournalEntry[] {
    const found: JournalEntry[] = [];
    for (const [globalSeq, row] of this.#feed) {
      if (globalSeq >= fromGlobalSeq && found.push(row) === limit) break;
    }
    return found;
  }

  list(query: ListQuery): Page<ListRow> {
    if (query.where !== undefined || query.orderBy !== undefined)
      return searchActors(this.#search, query);
    const limit = Math.min(query.limit ?? LIST_LIMIT, LIST_LIMIT_MAX);
    const rows = [...this.#actors.values()]
      .flatMap((rows) => toListed(rows) ?? [])
      .filter((row) => query.kind === undefined || row.kind === query.kind)
      .filter((row) => row.id.startsWith(query.prefix ?? ''))
      .filter((row) => query.state === undefined || isInState(row.state, query.state))
      .filter((row) => query.status === undefined || row.status === query.status)
      .sort((a, b) => compare(toCursor(a), toCursor(b)))
      .filter((row) => query.cursor === undefined || toCursor(row) > query.cursor);
    return toPage(rows.slice(0, limit), rows.length > limit, toCursor);
  }

  dueTimers(at: number, limit: number, after: DueTimer | number = -Infinity): readonly DueTimer[] {
    const isLater = (timer: DueTimer): boolean =>
      typeof after === 'object' ? compareDue(timer, after) > 0 : timer.row.due > after;
    return this.#timers()
      .filter((timer) => timer.row.due <= at && isLater(timer))
      .slice(0, limit);
  }

  nextDue(): number | undefined {
    return this.#timers()[0]?.row.due;
  }

  actorsWithEffects(): readonly string[] {
    return [...this.#actors].filter(([, rows]) => rows.effects.size > 0).map(([id]) => id);
  }

  crashes(): readonly CrashRow[] {
    return [...this.#crashes.values()];
  }

  outbox(limit: number): readonly OutboxRow[] {
    return [...this.#outbox.values()].slice(0, limit);
  }

  deadLetters(cursor: string | undefined, limit: number): Page<DeadLetter> {
    const rows = [...this.#dead.values()]
      .sort((a, b) => compare(a.deadLetterId, b.deadLetterId))
      .filter((row) => cursor === undefined || row.deadLetterId > cursor);
    return toPage(rows.slice(0, limit), rows.length > limit, (row) => row.deadLetterId);
  }

  deadLetter(deadLetterId: string): DeadLetter | undefined {
    return this.#dead.get(deadLetterId);
  }

  waiting(queue: string, after: WaitingPlace | undefined, limit: number): readonly WaitingRow[] {
    return this.#queues.waiting(queue, after, limit);
  }

  waitingOf(
    lane: { readonly queue: string; readonly key: string },
    after: WaitingPlace | undefined,
    limit: number,
  ): readonly WaitingRow[] {
    return this.#queues.waitingOf(lane, after, limit);
  }

  waitingRow(id: string): WaitingRow | undefined {
    return this.#queues.waitingRow(id);
  }

  waitingCount(queue: string): number {
    return this.#queues.waitingCount(queue);
  }

  lastArrival(queue: string): number {
    return this.#queues.lastArrival(queue);
  }

  slots(): readonly SlotRow[] {
    return this.#queues.slots();
  }

  rate(queue: string, key: string): number | undefined {
    return this.#queues.rate(queue, key);
  }

  schedules(): readonly ScheduleRow[] {
    return [...this.#schedules.values()];
  }

  systemIds(): readonly SystemIdRow[] {
    return [...this.#systemIds.values()];
  }

  mark(name: string): string | undefined {
    return this.#marks.get(name);
  }

  lastGlobalSeq(): number {
    return this.#lastGlobalSeq;
  }

  hasRoom(): boolean {
    return this.#options.hasRoom?.() ?? true;
  }

  trim(now: number): number {
    let trimmed = 0;
    const remove = (from: Map<string, unknown>, key: string): void => {
      if (trimmed < TRIM_MAX && from.delete(key)) trimmed += 1;
    };
    for (const { idempotency } of this.#actors.values()) {
      for (const [key, row] of idempotency) if (row.expires <= now) remove(idempotency, key);
    }
    for (const [key, row] of this.#dead) {
      if (row.at <= now - DEAD_LETTERS_KEPT_MS) remove(this.#dead, key);
    }
    return trimmed + this.#queues.trim(now, TRIM_MAX);
  }

  async close(): Promise<void> {
    await this.#tail;
    this.#closed = true;
  }

  #timers(): readonly DueTimer[] {
    return [...this.#actors]
      .flatMap(([id, rows]) => [...rows.timers.values()].map((row) => ({ id, row })))
      .sort(compareDue);
  }

  #rows(id: string): ActorRows {
    const known = this.#actors.get(id);
    if (known !== undefined) return known;
    const rows: ActorRows = {
      journal: [],
      changes: new Map(),
      snapshots: [],
      timers: new Map(),
      effects: new Map(),
      idempotency: new Map(),
      index: undefined,
    };
    this.#actors.set(id, rows);
    return rows;
  }

  #apply(write: Write): void {
    if ('put' in write) this.#put(write);
    else if ('del' in write) this.#del(write);
    else if ('trim' in write) this.#trim(write);
    else this.#purge(write.row.id);
  }

  #trim({ id, seq, at }: JournalTrim): void {
    const rows = this.#actors.get(id);
    const past = rows?.snapshots.filter((row) => row.seq <= seq || row.at <= at) ?? [];
    const isPast = (row: number) => past.some((snapshot) => snapshot.seq === row);
    const cut = findTrimSeq(rows?.snapshots.map((row) => row.seq) ?? [], isPast);
    if (rows === undefined || cut === undefined) return;
    const gone = rows.journal.findLastIndex((row) => row.seq <= cut) + 1;
    for (const { globalSeq, seq: row } of rows.journal.splice(0, gone)) {
      this.#feed.delete(globalSeq);
      rows.changes.delete(row);
    }
    rows.snapshots.splice(
      0,
      rows.snapshots.findIndex((row) => row.seq === cut),
    );
  }

  #put(write: Extract<Write, { put: string }>): void {
    switch (write.put) {
      case 'journal':
        this.#rows(write.row.id).journal.push(write.row);
        if (write.change !== undefined) {
          this.#rows(write.row.id).changes.set(write.row.seq, write.change);
        }
        this.#feed.set(write.row.globalSeq, write.row);
        this.#lastGlobalSeq = Math.max(this.#lastGlobalSeq, write.row.globalSeq);
        return;
      case 'snapshot':
        putSnapshot(this.#rows(write.id).snapshots, write.row);
        return;
      case 'timer':
        this.#rows(write.id).timers.set(write.row.timerId, write.row);
        return;
      case 'effect':
        this.#rows(write.id).effects.set(write.row.childId, write.row);
        return;
      case 'crash':
        this.#crashes.set(crashKey(write.row), write.row);
        return;
      case 'outbox':
        this.#outbox.set(outboxKey(write.row), write.row);
        return;
      case 'idempotency':
        this.#rows(write.id).idempotency.set(write.key, write.row);
        return;
      case 'dead':
        this.#dead.set(write.row.deadLetterId, write.row);
        return;
      case 'index':
        this.#search.change(this.#rows(write.row.id).index, write.row);
        this.#rows(write.row.id).index = write.row;
        return;
      case 'mark':
        this.#marks.set(write.name, write.text);
        return;
      case 'schedule':
        this.#schedules.set(write.row.name, write.row);
        return;
      case 'systemId':
        this.#systemIds.set(`${write.row.root}\n${write.row.systemId}`, write.row);
        return;
      case 'waiting':
      case 'slot':
      case 'rate':
        this.#queues.apply(write);
    }
  }

  #del(write: Extract<Write, { del: string }>): void {
    switch (write.del) {
      case 'timer':
        this.#rows(write.id).timers.delete(write.row.timerId);
        return;
      case 'effect':
        this.#rows(write.id).effects.delete(write.childId);
        return;
      case 'crash':
        this.#crashes.delete(crashKey(write));
        return;
      case 'outbox':
        this.#outbox.delete(outboxKey(write.row));
        return;
      case 'dead':
        this.#dead.delete(write.deadLetterId);
        return;
      case 'schedule':
        this.#schedules.delete(write.name);
        return;
      case 'systemId':
        this.#systemIds.delete(`${write.row.root}\n${write.row.systemId}`);
        return;
      case 'waiting':
      case 'slot':
        this.#queues.apply(write);
    }
  }

  #purge(id: string): void {
    for (const { globalSeq } of this.#actors.get(id)?.journal ?? []) this.#feed.delete(globalSeq);
    this.#search.change(this.#actors.get(id)?.index, undefined);
    this.#actors.delete(id);
    for (const [key, row] of this.#crashes) if (row.id === id) this.#crashes.delete(key);
  }
}

interface ActorRows {
  readonly journal: JournalEntry[];
  readonly changes: Map<number, RowChange>;
  readonly snapshots: SnapshotRow[];
  readonly timers: Map<string, TimerRow>;
  readonly effects: Map<string, EffectRow>;
  readonly idempotency: Map<string, IdempotencyRow>;
  index: ListRow | undefined;
}

function toListed({ index, journal }: ActorRows): ListRow | undefined {
  const last = journal.at(-1);
  if (index === undefined || last === undefined) return undefined;
  return { ...index, seq: last.seq, at: last.at };
}

function putSnapshot(rows: SnapshotRow[], row: SnapshotRow): void {
  const same = rows.findIndex(({ seq }) => seq === row.seq);
  if (same === -1) rows.push(row);
  else rows[same] = row;
}

function toPage<T>(rows: readonly T[], more: boolean, cursor: (row: T) => string): Page<T> {
  const last = rows.at(-1);
  return more && last !== undefined ? { rows, cursor: cursor(last) } : { rows };
}

function toCursor(row: ListRow): string {
  return `${row.kind}\n${row.id}`;
}

function outboxKey({ from, fromSeq, n }: OutboxRow): string {
  return `${from}\n${fromSeq}\n${n}`;
}

function crashKey({ id, childId }: Pick<CrashRow, 'id' | 'childId'>): string {
  return `${id}\n${childId}`;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
