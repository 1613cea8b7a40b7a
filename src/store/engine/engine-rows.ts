import type { Key } from 'lmdb';
import type { Write } from '../../runtime/engine/ports.ts';
import type { ListRow, TimerRow } from '../../runtime/engine/types.ts';
import type { JournalTrim } from '../../runtime/journal/journal-trim.ts';
import { findTrimSeq } from '../../runtime/journal/journal-trim.ts';
import type { Environment } from '../common/environment.ts';
import { scanKeys } from '../common/environment.ts';
import type { RowSeals } from '../common/open-lmdb.ts';
import type { TextTable } from '../common/text-table.ts';
import type { Op } from './commit-queue.ts';
import { checkCodec, decodeRow, encodeOps } from './encode-payloads.ts';
import {
  decodeEntry,
  decodeListed,
  decodeSnapshot,
  encodeEntry,
  encodeListed,
  encodeSnapshot,
} from './engine-codec.ts';
import type { EngineDatabases } from './engine-databases.ts';
import { openEngineDatabases } from './engine-databases.ts';
import { diffFacets, facetKeys } from './engine-facets.ts';
import { toQueueOps } from './engine-queues.ts';
import { searchOps } from './engine-search.ts';
import type { PayloadCodec } from './payload-codec.ts';

/** Converts the writes of an engine to database changes. */
export class EngineRows {
  readonly dbs: EngineDatabases;
  readonly #codec: PayloadCodec | undefined;
  readonly #payloads: ReadonlySet<TextTable>;

  /** @throws {EngineError} `STORE_KEY_INVALID` */
  constructor(environment: Environment, seals: RowSeals, codec?: PayloadCodec) {
    this.dbs = openEngineDatabases(environment, seals);
    this.#codec = codec;
    this.#payloads = new Set(payloadTables(this.dbs));
    const ops = checkCodec(this.dbs.marks, codec);
    if (codec === undefined) return;
    for (const table of this.#payloads) table.decode = (text) => decodeRow(codec, text);
    // It is in line before every row that the new key encodes.
    if (ops.length > 0) environment.write(ops);
  }

  /** Computes every change of a commit, in order. */
  toOps(writes: readonly Write[]): readonly Op[] {
    const ops: Op[] = [];
    for (const write of writes) {
      if ('put' in write) this.#put(write, ops);
      else if ('del' in write) this.#del(write, ops);
      else if ('trim' in write) ops.push(...retentionOps(this.dbs, write));
      else ops.push(...this.purgeOps(write.row));
    }
    return this.#codec === undefined ? ops : encodeOps(ops, this.#payloads, this.#codec);
  }

  /** Computes the changes that remove an actor with all its rows. */
  purgeOps({ id, kind }: Pick<ListRow, 'id' | 'kind'>): readonly Op[] {
    const { journal, feed, snapshots, crashes, idempotency, expiry, index, marks } = this.dbs;
    const ops: Op[] = [{ db: index, key: [kind, id] }, ...this.#facetRemovals(kind, id)];
    let last = 0;
    // Damaged rows are removed too; the feed skips a row that is gone.
    for (const key of scanKeys(journal, [id])) {
      ops.push({ db: journal, key: [...key] });
      const text = journal.getWhole([...key]);
      if (text === undefined) continue;
      const { globalSeq } = decodeEntry(id, key[1] as number, text);
      last = Math.max(last, globalSeq);
      ops.push({ db: feed, key: globalSeq });
    }
    for (const db of [snapshots, crashes]) {
      for (const key of scanKeys(db, [id])) ops.push({ db, key: [...key] });
    }
    for (const key of scanKeys(idempotency, [id])) {
      ops.push({ db: idempotency, key: [...key] });
      const text = idempotency.getWhole([...key]);
      if (text === undefined) continue;
      const { expires } = JSON.parse(text) as { expires: number };
      ops.push({ db: expiry, key: [expires, id, key[1] as string] });
    }
    const mark = Math.max(last, Number(marks.get('lastGlobalSeq') ?? 0));
    return [...ops, { db: marks, key: 'lastGlobalSeq', text: String(mark) }];
  }

  #put(write: Extract<Write, { put: string }>, ops: Op[]): void {
    const { dbs } = this;
    switch (write.put) {
      case 'journal': {
        const { id, seq, globalSeq } = write.row;
        ops.push({ db: dbs.journal, key: [id, seq], text: encodeEntry(write.row, write.change) });
        ops.push({ db: dbs.feed, key: globalSeq, text: JSON.stringify([id, seq]) });
        return;
      }
      case 'snapshot': {
        const key = [write.id, write.row.seq];
        ops.push({ db: dbs.snapshots, key, text: encodeSnapshot(write.row) });
        return;
      }
      case 'timer': {
        const { timerId } = write.row;
        ops.push({ db: dbs.timers, key: [write.id, timerId], text: JSON.stringify(write.row) });
        ops.push({ db: dbs.due, key: [...toDueKey(write.id, write.row)], text: '' });
        return;
      }
      case 'effect': {
        const key = [write.id, write.row.childId];
        ops.push({ db: dbs.effects, key, text: JSON.stringify(write.row) });
        return;
      }
      case 'crash': {
        const { id, childId } = write.row;
        ops.push({ db: dbs.crashes, key: [id, childId], text: JSON.stringify(write.row) });
        return;
      }
      case 'outbox': {
        const { from, fromSeq, n } = write.row;
        ops.push({ db: dbs.outbox, key: [from, fromSeq, n], text: JSON.stringify(write.row) });
        return;
      }
      case 'idempotency': {
        const { id, key, row } = write;
        ops.push({ db: dbs.idempotency, key: [id, key], text: JSON.stringify(row) });
        ops.push({ db: dbs.expiry, key: [row.expires, id, key], text: '' });
        return;
      }
      case 'dead':
        ops.push({ db: dbs.dead, key: write.row.deadLetterId, text: JSON.stringify(write.row) });
        return;
      case 'mark':
        ops.push({ db: dbs.marks, key: write.name, text: write.text });
        return;
      case 'index':
        this.#putIndex(write.row, write.before, ops);
        return;
      case 'schedule':
        ops.push({ db: dbs.schedules, key: write.row.name, text: JSON.stringify(write.row) });
        return;
      case 'systemId': {
        const key = [write.row.root, write.row.systemId];
        ops.push({ db: dbs.systems, key, text: JSON.stringify(write.row) });
        return;
      }
      case 'waiting':
      case 'slot':
      case 'rate':
        ops.push(...toQueueOps(dbs, write));
    }
  }

  #putIndex(row: ListRow, before: ListRow | undefined, ops: Op[]): void {
    const { id, kind, status, at } = row;
    const { facets } = this.dbs;
    const { removed, added } =
      before === undefined ? { removed: [], added: facetKeys(row) } : diffFacets(before, row);
    for (const key of removed) ops.push({ db: facets, key: [...key] });
    for (const key of added) ops.push({ db: facets, key: [...key], text: '' });
    if ((row.attributes ?? before?.attributes) !== undefined)
      ops.push(...searchOps(this.dbs, [this.#storedRow(kind, id), before], row));
    ops.push({ db: this.dbs.index, key: [kind, id], text: encodeListed(row) });
    const hasEnded = status !== 'active' && status !== 'stuck';
    if (hasEnded) ops.push({ db: this.dbs.ended, key: [at, kind, id], text: '' });
  }

  #del(write: Extract<Write, { del: string }>, ops: Op[]): void {
    const { dbs } = this;
    switch (write.del) {
      case 'timer': {
        const { timerId } = write.row;
        ops.push({ db: dbs.timers, key: [write.id, timerId] });
        ops.push({ db: dbs.due, key: [...toDueKey(write.id, write.row)] });
        return;
      }
      case 'effect':
        ops.push({ db: dbs.effects, key: [write.id, write.childId] });
        return;
      case 'crash':
        ops.push({ db: dbs.crashes, key: [write.id, write.childId] });
        return;
      case 'outbox': {
        const { from, fromSeq, n } = write.row;
        ops.push({ db: dbs.outbox, key: [from, fromSeq, n] });
        return;
      }
      case 'dead':
        ops.push({ db: dbs.dead, key: write.deadLetterId });
        return;
      case 'schedule':
        ops.push({ db: dbs.schedules, key: write.name });
        return;
      case 'systemId':
        ops.push({ db: dbs.systems, key: [write.row.root, write.row.systemId] });
        return;
      case 'waiting':
      case 'slot':
        ops.push(...toQueueOps(dbs, write));
    }
  }

  #facetRemovals(kind: string, id: string): readonly Op[] {
    const row = this.#storedRow(kind, id);
    if (row === undefined) return [];
    const keys = facetKeys(row).map((key) => ({ db: this.dbs.facets, key: [...key] }));
    return [...keys, ...searchOps(this.dbs, [row], undefined)];
  }

  #storedRow(kind: string, id: string): ListRow | undefined {
    const text = this.dbs.index.getWhole([kind, id]);
    return text === undefined ? undefined : decodeListed({ kind, id }, { seq: 0, at: 0 }, text);
  }
}

/** Returns the tables whose rows contain what a program stores. */
function payloadTables(dbs: EngineDatabases): readonly TextTable[] {
  const { journal, snapshots, timers, effects, outbox, idempotency } = dbs;
  const { dead, waiting, schedules } = dbs;
  return [journal, snapshots, timers, effects, outbox, idempotency, dead, waiting, schedules];
}

/** Returns the key of a timer in the due index. */
export function toDueKey(id: string, { due, order, timerId }: TimerRow): readonly Key[] {
  return order === undefined ? [due, id, timerId] : [due, order, id, timerId];
}

/** Computes the changes that drop the old rows of a live actor and their feed entries. */
function retentionOps(dbs: EngineDatabases, { id, seq, at }: JournalTrim): readonly Op[] {
  const { journal, feed, snapshots } = dbs;
  const isExpired = (row: number) =>
    row <= seq || (at > 0 && readSnapshotTime(snapshots, id, row) <= at);
  const cut = findTrimSeq(scanSnapshotSeqs(snapshots, id), isExpired);
  if (cut === undefined) return [];
  const ops: Op[] = [];
  const range = { start: [id], end: [id, cut], inclusiveEnd: true };
  for (const { key, value } of journal.getRange(range)) {
    const row = (key as [string, number])[1];
    const { globalSeq } = decodeEntry(id, row, value);
    ops.push({ db: journal, key: [id, row] }, { db: feed, key: globalSeq });
  }
  for (const key of snapshots.getKeys({ start: [id], end: [id, cut] })) {
    ops.push({ db: snapshots, key: [id, (key as [string, number])[1]] });
  }
  return ops;
}

function* scanSnapshotSeqs(snapshots: TextTable, id: string): Iterable<number> {
  for (const key of snapshots.getKeys({ start: [id], end: [id, Number.MAX_SAFE_INTEGER] })) {
    yield (key as [string, number])[1];
  }
}

function readSnapshotTime(snapshots: TextTable, id: string, row: number): number {
  const text = snapshots.get([id, row]);
  return text === undefined ? 0 : decodeSnapshot(row, text).at;
}
