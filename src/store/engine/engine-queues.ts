import type { Key } from 'lmdb';
import type {
  QueueReads,
  QueueWrite,
  SlotRow,
  WaitingPlace,
  WaitingRow,
} from '../../runtime/queue/queue-ports.ts';
import type { Op } from './commit-queue.ts';
import type { EngineDatabases } from './engine-databases.ts';

/** Reads the rows of queues. */
export class EngineQueues implements QueueReads {
  readonly #dbs: EngineDatabases;

  constructor(dbs: EngineDatabases) {
    this.#dbs = dbs;
  }

  waiting(queue: string, after: WaitingPlace | undefined, limit: number): readonly WaitingRow[] {
    const { waiting } = this.#dbs;
    const rows: WaitingRow[] = [];
    for (const { key, value } of waiting.getWholeRange(rangeAfterPlace([queue], after, limit))) {
      if ((key as [string])[0] !== queue) break;
      rows.push(JSON.parse(value) as WaitingRow);
    }
    return rows;
  }

  waitingOf(
    { queue, key: lane }: { readonly queue: string; readonly key: string },
    after: WaitingPlace | undefined,
    limit: number,
  ): readonly WaitingRow[] {
    const { waiting, lanes } = this.#dbs;
    const rows: WaitingRow[] = [];
    for (const key of lanes.getKeys(rangeAfterPlace([queue, lane], after, limit))) {
      const [rowQueue, rowKey, ...place] = key as [string, string, number, number, string];
      if (rowQueue !== queue || rowKey !== lane) break;
      const text = waiting.getWhole([queue, ...place]);
      if (text !== undefined) rows.push(JSON.parse(text) as WaitingRow);
    }
    return rows;
  }

  waitingRow(id: string): WaitingRow | undefined {
    const { waiting, waitingIds } = this.#dbs;
    const key = waitingIds.get(id);
    const text = key === undefined ? undefined : waiting.get(JSON.parse(key) as Key);
    return text === undefined ? undefined : (JSON.parse(text) as WaitingRow);
  }

  waitingCount(queue: string): number {
    return this.#dbs.waiting.count({ start: [queue], end: [`${queue}\u0001`] });
  }

  lastArrival(queue: string): number {
    return Number(this.#dbs.marks.get(toArrivalMark(queue)) ?? 0);
  }

  slots(): readonly SlotRow[] {
    return [...this.#dbs.slots.getWholeRange()].map(({ value }) => JSON.parse(value) as SlotRow);
  }

  rate(queue: string, key: string): number | undefined {
    const text = this.#dbs.rates.get([queue, key]);
    return text === undefined ? undefined : Number(text);
  }
}

/** Computes the database changes of a queue write. */
export function toQueueOps(dbs: EngineDatabases, write: QueueWrite): readonly Op[] {
  if ('put' in write) return toPutOps(dbs, write);
  if (write.del === 'slot') return [{ db: dbs.slots, key: write.id }];
  const { row } = write;
  return toWaitingOps(dbs, row).map(({ db, key }) => ({ db, key }));
}

function toPutOps(
  dbs: EngineDatabases,
  write: Extract<QueueWrite, { put: string }>,
): readonly Op[] {
  switch (write.put) {
    case 'waiting': {
      const { row } = write;
      const mark = { db: dbs.marks, key: toArrivalMark(row.queue), text: String(row.arrival) };
      return [...toWaitingOps(dbs, row), mark];
    }
    case 'slot':
      return [{ db: dbs.slots, key: write.row.id, text: JSON.stringify(write.row) }];
    case 'rate': {
      const { queue, key, freshAt } = write.row;
      const previousFreshAt = write.before;
      return [
        { db: dbs.rates, key: [queue, key], text: String(freshAt) },
        ...(previousFreshAt === undefined
          ? []
          : [{ db: dbs.ratesDue, key: [previousFreshAt, queue, key] }]),
        { db: dbs.ratesDue, key: [freshAt, queue, key], text: '' },
      ];
    }
  }
}

function toWaitingOps(dbs: EngineDatabases, row: WaitingRow): readonly Required<Op>[] {
  const { queue, key, rank, arrival, id } = row;
  const place = [queue, rank, arrival, id];
  return [
    { db: dbs.waiting, key: place, text: JSON.stringify(row) },
    { db: dbs.lanes, key: [queue, key, rank, arrival, id], text: '' },
    { db: dbs.waitingIds, key: id, text: JSON.stringify(place) },
  ];
}

function rangeAfterPlace(prefix: readonly Key[], after: WaitingPlace | undefined, limit: number) {
  if (after === undefined) return { start: [...prefix], limit };
  const { rank, arrival, id } = after;
  return { start: [...prefix, rank, arrival, id], exclusiveStart: true, limit };
}

function toArrivalMark(queue: string): string {
  return `arrival/${queue}`;
}
