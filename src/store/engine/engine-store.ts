import type { Key, RangeOptions } from 'lmdb';
import type { EngineError } from '../../runtime/engine/error.ts';
import type {
  Compacted,
  CrashRow,
  DueTimer,
  FamilySize,
  IdempotencyRow,
  OutboxRow,
  StoredActor,
  SyncEngineStore,
  TailRow,
  Write,
} from '../../runtime/engine/ports.ts';
import type {
  DeadLetter,
  EffectRow,
  JournalEntry,
  ListQuery,
  ListRow,
  Page,
  TimerRow,
} from '../../runtime/engine/types.ts';
import type { SlotRow, WaitingPlace, WaitingRow } from '../../runtime/queue/queue-ports.ts';
import type { SystemIdRow } from '../../runtime/system/system-ports.ts';
import type { ScheduleRow } from '../../runtime/timer/schedule-ports.ts';
import { Environment, scan, scanKeys } from '../common/environment.ts';
import type { EnvironmentOptions } from '../common/environment-options.ts';
import type { TextTable } from '../common/text-table.ts';
import type { Op } from './commit-queue.ts';
import { DamageReport, damagedRowError } from './damaged-row.ts';
import { decodeEntry, decodeSnapshot, decodeTailRow } from './engine-codec.ts';
import { listActors } from './engine-list.ts';
import { EngineQueues } from './engine-queues.ts';
import { EngineRows, toDueKey } from './engine-rows.ts';
import type { ExpiredRows } from './engine-trim.ts';
import { countExpired, findExpired, trimOps } from './engine-trim.ts';
import { FacetUpgrade } from './engine-upgrade.ts';
import { findLastKnown } from './last-known.ts';
import type { PayloadCodec } from './payload-codec.ts';
import { RowCheck } from './row-check.ts';
import { SealUpgrade } from './seal-upgrade.ts';

/**
 * Format of the rows; see docs/retention.md for the key families. From 4 on, rows have a checksum
 * and can belong to child machines; `SealUpgrade` gives one to older rows.
 */
export const ENGINE_FORMAT = 4;

/**
 * Opens the store of an engine on disk. Opening it for writing makes this process its owner until
 * `close` or the end of the process.
 *
 * Reading a row whose checksum does not match throws `DATA_DAMAGED`, which names the actor.
 *
 * @throws {EngineError} `STORE_BUSY` if another process or thread owns it; `STORE_NEWER` if a newer
 * program has written to this store; `DATA_DAMAGED` if the file is damaged, with the place;
 * `STORE_KEY_INVALID` naming the key if `codec` cannot decode what the store has encoded.
 * @example
 * const store = openEngineStore({ path: 'data/actors' });
 * const engine = await createEngine({ store, clock: systemClock(), definitions });
 */
export function openEngineStore({ codec, ...options }: EngineStoreOptions): SyncEngineStore {
  const rows = new RowCheck();
  const environment = new Environment(options, ENGINE_FORMAT, rows);
  try {
    return new LmdbEngineStore(environment, { rows, readOnly: options.readOnly ?? false, codec });
  } catch (thrown) {
    environment.close().catch(() => undefined);
    throw thrown;
  }
}

/** Options of `openEngineStore`. */
export interface EngineStoreOptions extends EnvironmentOptions {
  /** Encodes payloads, for example with `aesGcmCodec`. Rows written without it stay readable. */
  readonly codec?: PayloadCodec;
}

interface StoreParts {
  readonly rows: RowCheck;
  readonly readOnly: boolean;
  readonly codec: PayloadCodec | undefined;
}

class LmdbEngineStore implements SyncEngineStore {
  readonly #environment: Environment;
  readonly #rows: EngineRows;
  readonly #queues: EngineQueues;
  readonly #seals: SealUpgrade;
  readonly #upgrade: FacetUpgrade;
  readonly #damage = new DamageReport();

  constructor(environment: Environment, { rows, readOnly, codec }: StoreParts) {
    this.#environment = environment;
    const { file } = environment;
    for (const { page, row, ...found } of rows.damaged) {
      this.#damage.add(damagedRowError({ ...found, file, place: `page ${page}, row ${row}` }));
    }
    const seals = { file, isComplete: false, onDamage: this.#damage.add };
    this.#rows = new EngineRows(environment, seals, codec);
    this.#queues = new EngineQueues(this.#rows.dbs);
    this.#seals = new SealUpgrade(environment, this.#rows.dbs, { seals, readOnly });
    this.#upgrade = new FacetUpgrade(environment, this.#rows, { readOnly });
  }

  async commit(writes: readonly Write[]): Promise<void> {
    await this.#environment.commit(this.#rows.toOps(writes));
  }

  load(id: string): StoredActor | undefined {
    return this.loadAt(id, Number.MAX_SAFE_INTEGER);
  }

  loadAt(id: string, seq: number): StoredActor | undefined {
    const { snapshots, timers, effects } = this.#rows.dbs;
    const range = { start: [id, seq], end: [id], reverse: true, limit: 1 };
    for (const { key, value } of snapshots.getRange(range)) {
      const snapshot = decodeSnapshot((key as [string, number])[1], value);
      return {
        snapshot,
        tail: this.#readTail(id, snapshot.seq + 1, seq),
        timers: readValues<TimerRow>(timers, [id]),
        effects: readValues<EffectRow>(effects, [id]),
      };
    }
    return undefined;
  }

  loadDamaged(id: string): StoredActor | undefined {
    const { timers, effects } = this.#rows.dbs;
    const snapshot = findLastKnown(this.#rows.dbs, id);
    if (snapshot === undefined) return undefined;
    return {
      snapshot,
      tail: [],
      timers: readWholeValues<TimerRow>(timers, id),
      effects: readWholeValues<EffectRow>(effects, id),
    };
  }

  watchDamage(listener: (damage: EngineError) => void): void {
    this.#damage.watch(listener);
  }

  idempotency(id: string, key: string): IdempotencyRow | undefined {
    return parseRow<IdempotencyRow>(this.#rows.dbs.idempotency.get([id, key]));
  }

  readJournal(id: string, from: number, limit: number): readonly JournalEntry[] {
    return this.#journal(id, from, Number.MAX_SAFE_INTEGER, limit);
  }

  feed(fromGlobalSeq: number, limit: number): readonly JournalEntry[] {
    const { feed, journal } = this.#rows.dbs;
    const rows: JournalEntry[] = [];
    // A damaged row belongs to one actor; the feed goes on without it.
    for (const { value } of feed.getWholeRange({ start: fromGlobalSeq })) {
      if (rows.length >= limit) break;
      const [id, seq] = JSON.parse(value) as [string, number];
      const text = journal.getWhole([id, seq], true);
      if (text !== undefined) rows.push(decodeEntry(id, seq, text));
    }
    return rows;
  }

  list(query: ListQuery): Page<ListRow> {
    return listActors(this.#rows.dbs, query, this.#upgrade.isDone);
  }

  dueTimers(at: number, limit: number, after?: DueTimer | number): readonly DueTimer[] {
    const { due, timers } = this.#rows.dbs;
    const found: DueTimer[] = [];
    const passed = typeof after === 'number' ? after : Number.NEGATIVE_INFINITY;
    for (const key of due.getKeys(rangeAfter(after))) {
      const when = (key as [number])[0];
      if (when > at || found.length >= limit) break;
      if (when <= passed) continue;
      const [id, timerId] = (key as Key[]).slice(-2) as [string, string];
      const row = parseRow<TimerRow>(timers.getWhole([id, timerId]));
      if (row !== undefined) found.push({ id, row });
    }
    return found;
  }

  nextDue(): number | undefined {
    for (const key of this.#rows.dbs.due.getKeys({ limit: 1 })) return (key as [number])[0];
    return undefined;
  }

  actorsWithEffects(): readonly string[] {
    const ids = new Set<string>();
    for (const { key } of this.#rows.dbs.effects.getWholeRange()) ids.add((key as [string])[0]);
    return [...ids];
  }

  crashes(): readonly CrashRow[] {
    return [...this.#rows.dbs.crashes.getWholeRange()].map(
      ({ value }) => JSON.parse(value) as CrashRow,
    );
  }

  outbox(limit: number): readonly OutboxRow[] {
    const rows = this.#rows.dbs.outbox.getWholeRange({ limit });
    return [...rows].map(({ value }) => JSON.parse(value) as OutboxRow);
  }

  deadLetters(cursor: string | undefined, limit: number): Page<DeadLetter> {
    const range = cursor === undefined ? {} : { start: cursor, exclusiveStart: true };
    const found = [...this.#rows.dbs.dead.getWholeRange({ ...range, limit: limit + 1 })];
    const rows = found.slice(0, limit).map(({ value }) => JSON.parse(value) as DeadLetter);
    const last = rows.at(-1);
    return found.length > limit && last !== undefined
      ? { rows, cursor: last.deadLetterId }
      : { rows };
  }

  deadLetter(deadLetterId: string): DeadLetter | undefined {
    return parseRow<DeadLetter>(this.#rows.dbs.dead.get(deadLetterId));
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
    return [...this.#rows.dbs.schedules.getWholeRange()].map(
      ({ value }) => JSON.parse(value) as ScheduleRow,
    );
  }

  systemIds(): readonly SystemIdRow[] {
    return [...this.#rows.dbs.systems.getRange()].map(
      ({ value }) => JSON.parse(value) as SystemIdRow,
    );
  }

  mark(name: string): string | undefined {
    return this.#rows.dbs.marks.get(name);
  }

  lastGlobalSeq(): number {
    const { feed, marks } = this.#rows.dbs;
    // A purge may have removed the last feed row; its number is never reused.
    let last = Number(marks.get('lastGlobalSeq') ?? 0);
    for (const key of feed.getKeys({ reverse: true, limit: 1 })) {
      last = Math.max(last, key as number);
    }
    return last;
  }

  hasRoom(): boolean {
    return this.#environment.hasRoom();
  }

  trim(now: number): number {
    const expired = findExpired(this.#rows, now);
    const count = countExpired(expired);
    // Rows that could not be trimmed are found again by the next trim.
    if (count > 0) this.#environment.commit(() => this.#trimOps(expired)).catch(() => undefined);
    return count;
  }

  compact(o?: { readonly force?: boolean }): Promise<Compacted | undefined> {
    return this.#environment.compact(o);
  }

  sizes(): readonly FamilySize[] {
    return this.#environment.sizes();
  }

  async close(): Promise<void> {
    await this.#upgrade.close();
    await this.#seals.close();
    await this.#environment.close();
  }

  /** A read error must not fail the commits queued behind this one. */
  #trimOps(past: ExpiredRows): readonly Op[] {
    try {
      return trimOps(this.#rows, past);
    } catch {
      return [];
    }
  }

  #readTail(id: string, from: number, to: number): readonly TailRow[] {
    const range = { start: [id, from], end: [id, to], inclusiveEnd: true };
    const rows = this.#rows.dbs.journal.getRange(range);
    return [...rows].map(({ key, value }) =>
      decodeTailRow(id, (key as [string, number])[1], value),
    );
  }

  #journal(id: string, from: number, to: number, limit: number): readonly JournalEntry[] {
    const range = { start: [id, from], end: [id, to], inclusiveEnd: true };
    const rows: JournalEntry[] = [];
    for (const { key, value } of this.#rows.dbs.journal.getRange(range)) {
      rows.push(decodeEntry(id, (key as [string, number])[1], value));
      if (rows.length >= limit) break;
    }
    return rows;
  }
}

function rangeAfter(after: DueTimer | number | undefined): RangeOptions {
  if (typeof after === 'object') {
    return { start: [...toDueKey(after.id, after.row)], exclusiveStart: true };
  }
  return after === undefined || !Number.isFinite(after) ? {} : { start: [after] };
}

function readValues<T>(db: Parameters<typeof scan>[0], prefix: readonly Key[]): readonly T[] {
  const rows: T[] = [];
  scan(db, prefix, (_key, text) => {
    rows.push(JSON.parse(text) as T);
    return true;
  });
  return rows;
}

function readWholeValues<T>(db: TextTable, id: string): readonly T[] {
  return [...scanKeys(db, [id])].flatMap((key) => {
    const text = db.getWhole([...key]);
    return text === undefined ? [] : [JSON.parse(text) as T];
  });
}

function parseRow<T>(text: string | undefined): T | undefined {
  return text === undefined ? undefined : (JSON.parse(text) as T);
}
