import type { Op } from './commit-line.ts';
import { decodeEntry } from './engine-codec.ts';
import type { EngineRows } from './engine-rows.ts';

/** How long dead letters are kept, in milliseconds: 400 days. */
export const DEAD_LETTERS_KEPT_MS = 400 * 24 * 60 * 60 * 1_000;
/** How long actors are kept after their end, in milliseconds: 400 days. */
export const ENDED_KEPT_MS = 400 * 24 * 60 * 60 * 1_000;
/** Rows of a family that one trim removes; the next one goes on. */
const BATCH = 1_000;
/** Actors that one trim removes; each may have many rows. */
const ACTORS_BATCH = 50;

/** Computes what is past its age. */
export function trimOps(rows: EngineRows, now: number): { ops: readonly Op[]; count: number } {
  const found = [
    expiredAnswers(rows, now),
    oldLetters(rows, now),
    oldActors(rows, now),
    freshRates(rows, now),
  ];
  return {
    ops: found.flatMap(({ ops }) => ops),
    count: found.reduce((sum, { count }) => sum + count, 0),
  };
}

interface Trimmed {
  readonly ops: readonly Op[];
  readonly count: number;
}

function expiredAnswers({ dbs }: EngineRows, now: number): Trimmed {
  const ops: Op[] = [];
  for (const key of dbs.expiry.getKeys({ limit: BATCH })) {
    const [expires, id, name] = key as [number, string, string];
    if (expires > now) break;
    ops.push({ db: dbs.expiry, key: [expires, id, name] });
    const text = dbs.idempotency.get([id, name]);
    // A key that was used again after its time has a newer row, which stays.
    const isSame =
      text !== undefined && (JSON.parse(text) as { expires: number }).expires === expires;
    if (isSame) ops.push({ db: dbs.idempotency, key: [id, name] });
  }
  return { ops, count: ops.filter(({ db }) => db === dbs.expiry).length };
}

function oldLetters({ dbs }: EngineRows, now: number): Trimmed {
  const ops: Op[] = [];
  for (const key of dbs.dead.getKeys({ limit: BATCH })) {
    if (Number.parseInt(key as string, 10) > now - DEAD_LETTERS_KEPT_MS) break;
    ops.push({ db: dbs.dead, key });
  }
  return { ops, count: ops.length };
}

function oldActors(rows: EngineRows, now: number): Trimmed {
  const { dbs } = rows;
  const before = now - ENDED_KEPT_MS;
  const ops: Op[] = [];
  let count = 0;
  for (const key of dbs.ended.getKeys({ limit: ACTORS_BATCH })) {
    const [at, kind, id] = key as [number, string, string];
    if (at > before) break;
    ops.push({ db: dbs.ended, key: [at, kind, id] });
    if (!isStillEnded(rows, kind, id, before)) continue;
    ops.push(...rows.purgeOps({ id, kind }));
    count += 1;
  }
  return { ops, count };
}

/** A rate that is as if it had never been used says nothing. */
function freshRates({ dbs }: EngineRows, now: number): Trimmed {
  const ops: Op[] = [];
  let count = 0;
  for (const due of dbs.ratesDue.getKeys({ limit: BATCH })) {
    const [freshAt, queue, key] = due as [number, string, string];
    if (freshAt > now) break;
    ops.push({ db: dbs.ratesDue, key: [freshAt, queue, key] });
    count += 1;
    if (Number(dbs.rates.get([queue, key])) === freshAt) {
      ops.push({ db: dbs.rates, key: [queue, key] });
    }
  }
  return { ops, count };
}

/** An actor that was purged and made again is another one, with an end of its own. */
function isStillEnded({ dbs }: EngineRows, kind: string, id: string, before: number): boolean {
  const listed = dbs.index.get([kind, id]);
  if (listed === undefined) return false;
  const [, status] = JSON.parse(listed) as [string, string];
  const range = { start: [id, Number.MAX_SAFE_INTEGER], end: [id], reverse: true, limit: 1 };
  for (const { value } of dbs.journal.getRange(range)) {
    return status !== 'active' && status !== 'stuck' && decodeEntry(id, 0, value).at <= before;
  }
  return false;
}
