import type { TextTable } from '../common/text-table.ts';
import type { Op } from './commit-queue.ts';
import { decodeEntry } from './engine-codec.ts';
import type { EngineRows } from './engine-rows.ts';

/** How long dead letters are kept, in milliseconds: 400 days. */
export const DEAD_LETTERS_KEPT_MS = 400 * 24 * 60 * 60 * 1_000;
/** How long ended actors are kept, in milliseconds: 400 days. */
export const ENDED_KEPT_MS = 400 * 24 * 60 * 60 * 1_000;
/** Maximum rows of a family that one trim removes; the next one continues. */
const BATCH = 1_000;
/** Maximum actors that one trim removes; each may have many rows. */
const ACTORS_BATCH = 50;

/** Expired rows, as found at some time. */
export interface ExpiredRows {
  /** `[expires, id, key]` */
  readonly acks: readonly DatedKey[];
  readonly deadLetters: readonly string[];
  /** `[at, kind, id]` of actors that ended before `endedBefore` */
  readonly actors: readonly DatedKey[];
  readonly endedBefore: number;
  /** `[freshAt, queue, key]` */
  readonly rates: readonly DatedKey[];
}

type DatedKey = readonly [at: number, first: string, second: string];

/** Finds expired rows, a limited number of each family. */
export function findExpired({ dbs }: EngineRows, now: number): ExpiredRows {
  const endedBefore = now - ENDED_KEPT_MS;
  return {
    endedBefore,
    acks: scanUpTo(dbs.expiry, now, BATCH),
    deadLetters: scanDeadLetters(dbs.dead, now - DEAD_LETTERS_KEPT_MS),
    actors: scanUpTo(dbs.ended, endedBefore, ACTORS_BATCH),
    rates: scanUpTo(dbs.ratesDue, now, BATCH),
  };
}

/** Returns the number of rows found. */
export function countExpired({ acks, deadLetters, actors, rates }: ExpiredRows): number {
  return acks.length + deadLetters.length + actors.length + rates.length;
}

/**
 * Computes the changes that remove expired rows, if they still are expired. Call it only when every
 * earlier commit is on disk and none is in flight.
 */
export function trimOps(rows: EngineRows, expired: ExpiredRows): readonly Op[] {
  const { acks, deadLetters, actors, rates, endedBefore } = expired;
  const { dead } = rows.dbs;
  return [
    ...acks.flatMap((row) => ackOps(rows, row)),
    ...deadLetters.map((key) => ({ db: dead, key })),
    ...actors.flatMap((row) => actorOps(rows, row, endedBefore)),
    ...rates.flatMap((row) => rateOps(rows, row)),
  ];
}

function scanUpTo(db: TextTable, last: number, limit: number): readonly DatedKey[] {
  const found: DatedKey[] = [];
  for (const key of db.getKeys({ limit })) {
    const [at, first, second] = key as [number, string, string];
    if (at > last) break;
    found.push([at, first, second]);
  }
  return found;
}

function scanDeadLetters(dead: TextTable, last: number): readonly string[] {
  const found: string[] = [];
  for (const key of dead.getKeys({ limit: BATCH })) {
    if (Number.parseInt(key as string, 10) > last) break;
    found.push(key as string);
  }
  return found;
}

function ackOps({ dbs }: EngineRows, [expires, id, name]: DatedKey): readonly Op[] {
  const due = { db: dbs.expiry, key: [expires, id, name] };
  const text = dbs.idempotency.getWhole([id, name]);
  // A key that was reused after its expiry has a newer row, which stays.
  const isSame =
    text !== undefined && (JSON.parse(text) as { expires: number }).expires === expires;
  return isSame ? [due, { db: dbs.idempotency, key: [id, name] }] : [due];
}

function actorOps(rows: EngineRows, [at, kind, id]: DatedKey, before: number): readonly Op[] {
  const due = { db: rows.dbs.ended, key: [at, kind, id] };
  return isStillEnded(rows, kind, id, before) ? [due, ...rows.purgeOps({ id, kind })] : [due];
}

/** A rate that is unused again needs no row. */
function rateOps({ dbs }: EngineRows, [freshAt, queue, key]: DatedKey): readonly Op[] {
  const due = { db: dbs.ratesDue, key: [freshAt, queue, key] };
  const isSame = Number(dbs.rates.get([queue, key])) === freshAt;
  return isSame ? [due, { db: dbs.rates, key: [queue, key] }] : [due];
}

/** An actor that was purged and created again is another one, with its own end. */
function isStillEnded({ dbs }: EngineRows, kind: string, id: string, before: number): boolean {
  const listed = dbs.index.getWhole([kind, id]);
  if (listed === undefined) return false;
  const [, status] = JSON.parse(listed) as [string, string];
  const range = { start: [id, Number.MAX_SAFE_INTEGER], end: [id], reverse: true, limit: 1 };
  for (const { value } of dbs.journal.getWholeRange(range)) {
    return status !== 'active' && status !== 'stuck' && decodeEntry(id, 0, value).at <= before;
  }
  return false;
}
