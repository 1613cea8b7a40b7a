import type {
  IdempotencyRow,
  OutboxRow,
  SnapshotRow,
  TailRow,
  Write,
} from '../../runtime/engine/ports.ts';
import { stateName } from '../../runtime/engine/snapshot.ts';
import type { ListRow } from '../../runtime/engine/types.ts';
import { lastKnownActor } from '../../runtime/journal/replay.ts';
import { decodeSnapshot, decodeTailRow } from '../engine/engine-codec.ts';
import type { ScannedRow } from './store-scan.ts';

/** Families with rows of one actor, by its id. */
export const ACTOR_FAMILIES = [
  'journal',
  'snapshots',
  'timers',
  'effects',
  'crashes',
  'outbox',
  'idempotency',
] as const;

/** The rows of an actor by family. */
export type ActorRows = Readonly<Record<(typeof ACTOR_FAMILIES)[number], readonly ScannedRow[]>>;

/** What is known about the rows of an actor. */
export interface ActorFacts {
  readonly id: string;
  readonly rows: ActorRows;
  /** Last row that another family names; 0 if none does. */
  readonly lastSeq: number;
  /** Whether rows of timers or effects are damaged or may be missing. */
  readonly hasDamagedWaits: boolean;
  /** Whether rows of the journal may be missing at the end. */
  readonly mayMissRows: boolean;
}

/** What of an actor comes over to a new store. */
export interface ActorPlan {
  readonly writes: readonly Write[];
  /** What is lost, for people; absent if the actor is whole. */
  readonly loss?: string;
}

/** Plans what of an actor comes over: its last state that can be read, and the rows before it. */
export function planActor(facts: ActorFacts): ActorPlan {
  const journal = facts.rows.journal.map(({ key, text }) => ({ seq: Number(key[1]), text }));
  const snapshots = facts.rows.snapshots.flatMap(({ key, text }) =>
    text === undefined ? [] : [decodeSnapshot(Number(key[1]), text)],
  );
  const rows = new Map<number, TailRow>();
  for (const { seq, text } of journal) {
    if (text !== undefined) rows.set(seq, decodeTailRow(facts.id, seq, text));
  }
  const knownSeqs = [...facts.rows.journal, ...facts.rows.snapshots].map(({ key }) =>
    Number(key[1]),
  );
  const last = Math.max(facts.lastSeq, ...knownSeqs);
  const newest = snapshots.at(-1);
  if (newest === undefined) return planWithoutSnapshot(facts, rows.size, last);
  const upTo = findEnd(rows, newest.seq);
  const firstSeq = Math.min(...journal.map(({ seq }) => seq), newest.seq + 1);
  const hole = findHole(rows, firstSeq, newest.seq);
  const base = snapshots.find(({ seq }) => seq >= hole) ?? newest;
  const isTrimmed = hole >= firstSeq;
  const kept = [...rows.values()].filter(
    ({ seq }) => seq <= upTo && (!isTrimmed || seq > base.seq),
  );
  const keptSnapshots = snapshots.filter(({ seq }) => !isTrimmed || seq >= base.seq);
  const isRolledBack = upTo < last;
  const lostSnapshots = facts.rows.snapshots.length - snapshots.length;
  const writes = [
    ...toRowWrites(facts.id, kept, keptSnapshots),
    ...(isRolledBack || facts.hasDamagedWaits
      ? toRebuiltWaits(facts.id, newest, rows, upTo)
      : toWaitWrites(facts)),
    ...toOtherWrites(facts, upTo),
    toIndexWrite(facts.id, newest, rows.get(upTo)),
  ];
  const losses = [
    isRolledBack ? `comes over up to row ${upTo} of ${last}` : 'comes over in its last state',
    ...(isTrimmed ? [`rows ${firstSeq} to ${base.seq} of its history are lost`] : []),
    ...(lostSnapshots > 0 ? [`snapshots lost: ${lostSnapshots}`] : []),
    ...(facts.hasDamagedWaits ? ['its timers and effects are rebuilt from its rows'] : []),
    ...(facts.mayMissRows ? ['it may have had later rows'] : []),
  ];
  return losses.length === 1 && !isRolledBack ? { writes } : { writes, loss: losses.join('; ') };
}

/** Converts the rows of an actor without damage as they are. */
export function copyActor(facts: ActorFacts): readonly Write[] {
  const { id, rows } = facts;
  const entries = rows.journal.map(({ key, text = '' }) => decodeTailRow(id, Number(key[1]), text));
  const snapshots = rows.snapshots.map(({ key, text = '' }) =>
    decodeSnapshot(Number(key[1]), text),
  );
  const last = entries.at(-1);
  return [
    ...toRowWrites(id, entries, snapshots),
    ...toWaitWrites(facts),
    ...toOtherWrites(facts, Number.MAX_SAFE_INTEGER),
    ...(snapshots.length === 0 && last === undefined
      ? []
      : [toIndexWrite(id, snapshots.at(-1), last)]),
  ];
}

/** Whether the rows of a journal, or the rows since a snapshot, follow each other. */
export function isContiguous({ rows }: ActorFacts): boolean {
  const seqs = rows.journal.map(({ key }) => Number(key[1]));
  return seqs.every((seq, at) => at === 0 || seq === (seqs[at - 1] ?? 0) + 1);
}

function planWithoutSnapshot(facts: ActorFacts, readable: number, last: number): ActorPlan {
  const writes = toOtherWrites({ ...facts, rows: { ...facts.rows, idempotency: [] } }, last);
  const outbox = writes.filter((write) => 'put' in write && write.put === 'outbox');
  const rows = `readable rows: ${readable} of ${last}`;
  const loss = `cannot be recovered: no snapshot of it is readable; ${rows}`;
  return { writes: outbox, loss };
}

/** Returns the last row that can be reached from a snapshot. */
function findEnd(rows: ReadonlyMap<number, TailRow>, from: number): number {
  let end = from;
  while (rows.has(end + 1)) end += 1;
  return end;
}

/** Returns the last row before `end` that is missing; 0 if none is. */
function findHole(rows: ReadonlyMap<number, TailRow>, first: number, end: number): number {
  for (let seq = end; seq >= first; seq -= 1) if (!rows.has(seq)) return seq;
  return 0;
}

function toRowWrites(
  id: string,
  entries: readonly TailRow[],
  snapshots: readonly SnapshotRow[],
): readonly Write[] {
  return [
    ...entries.map(
      ({ change, ...row }): Write =>
        change === undefined ? { put: 'journal', row } : { put: 'journal', row, change },
    ),
    ...snapshots.map((row): Write => ({ put: 'snapshot', id, row })),
  ];
}

function toWaitWrites({ id, rows }: ActorFacts): readonly Write[] {
  return [
    ...parseAll<Extract<Write, { put: 'timer' }>['row']>(rows.timers).map(
      (row): Write => ({ put: 'timer', id, row }),
    ),
    ...parseAll<Extract<Write, { put: 'effect' }>['row']>(rows.effects).map(
      (row): Write => ({ put: 'effect', id, row }),
    ),
  ];
}

/** The waits after a row follow from the last snapshot before it and the changes since then. */
function toRebuiltWaits(
  id: string,
  snapshot: SnapshotRow,
  rows: ReadonlyMap<number, TailRow>,
  upTo: number,
): readonly Write[] {
  const tail = [...rows.values()].filter(({ seq }) => seq > snapshot.seq && seq <= upTo);
  const { timers, effects } = lastKnownActor({ snapshot, tail, timers: [], effects: [] });
  return [
    ...[...timers.values()].map((row): Write => ({ put: 'timer', id, row })),
    ...[...effects.values()].map((row): Write => ({ put: 'effect', id, row })),
  ];
}

/** A row after `upTo` has not happened: it sent nothing, and its calls can be repeated. */
function toOtherWrites({ id, rows }: ActorFacts, upTo: number): readonly Write[] {
  return [
    ...parseAll<Extract<Write, { put: 'crash' }>['row']>(rows.crashes).map(
      (row): Write => ({ put: 'crash', row }),
    ),
    ...parseAll<OutboxRow>(rows.outbox)
      .filter(({ fromSeq }) => fromSeq <= upTo)
      .map((row): Write => ({ put: 'outbox', row })),
    ...rows.idempotency.flatMap(({ key, text }): readonly Write[] => {
      if (text === undefined) return [];
      const row = JSON.parse(text) as IdempotencyRow;
      const name = String(key[1]);
      return row.ack.seq > upTo ? [] : [{ put: 'idempotency', id, key: name, row }];
    }),
  ];
}

function toIndexWrite(
  id: string,
  snapshot: SnapshotRow | undefined,
  entry: TailRow | undefined,
): Write {
  const isNewer = entry !== undefined && (snapshot === undefined || entry.seq > snapshot.seq);
  const stuck = snapshot?.stuck === true ? 'stuck' : undefined;
  const row: ListRow = {
    id,
    kind: entry?.kind ?? snapshot?.kind ?? '',
    state: stateName(isNewer ? entry.value : (snapshot?.snapshot.value ?? '')),
    status: isNewer ? entry.status : (stuck ?? snapshot?.snapshot.status ?? 'active'),
    seq: entry?.seq ?? snapshot?.seq ?? 0,
    createdAt: snapshot?.createdAt ?? entry?.at ?? 0,
    at: entry?.at ?? snapshot?.at ?? 0,
  };
  return { put: 'index', row };
}

function parseAll<Row>(rows: readonly ScannedRow[]): readonly Row[] {
  return rows.flatMap(({ text }) => (text === undefined ? [] : [JSON.parse(text) as Row]));
}
