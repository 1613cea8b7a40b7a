import type { Texts } from '../common/table.ts';
import type { Op } from './commit-line.ts';
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
export interface Past {
  /** `[expires, id, key]` */
  readonly answers: readonly Dated[];
  readonly letters: readonly string[];
  /** `[at, kind, id]` of actors that ended before `endedBefore` */
  readonly actors: readonly Dated[];
  readonly endedBefore: number;
  /** `[freshAt, queue, key]` */
  readonly rates: readonly Dated[];
}

type Dated = readonly [at: number, first: string, second: string];

/** Finds expired rows, a limited number of each family. */
export function pastOf({ dbs }: EngineRows, now: number): Past {
  const endedBefore = now - ENDED_KEPT_MS;
  return {
    endedBefore,
    answers: datedUpTo(dbs.expiry, now, BATCH),
    letters: lettersUpTo(dbs.dead, now - DEAD_LETTERS_KEPT_MS),
    actors: datedUpTo(dbs.ended, endedBefore, ACTORS_BATCH),
    rates: datedUpTo(dbs.ratesDue, now, BATCH),
  };
}

/** Returns the number of rows found. */
export function countOf({ answers, letters, actors, rates }: Past): number {
  return answers.length + letters.length + actors.length + rates.length;
}

/**
 * Computes the changes that remove expired rows, if they still are expired. Call it only when every
 * earlier commit is on disk and none is in flight.
 */
export function trimOps(rows: EngineRows, past: Past): readonly Op[] {
  const { answers, letters, actors, rates, endedBefore } = past;
  const { dead } = rows.dbs;
  return [
    ...answers.flatMap((row) => answerOps(rows, row)),
    ...letters.map((key) => ({ db: dead, key })),
    ...actors.flatMap((row) => actorOps(rows, row, endedBefore)),
    ...rates.flatMap((row) => rateOps(rows, row)),
  ];
}

function datedUpTo(db: Texts, last: number, limit: number): readonly Dated[] {
  const found: Dated[] = [];
  for (const key of db.getKeys({ limit })) {
    const dated = key as unknown as Dated;
    if (dated[0] > last) break;
    found.push([...dated]);
  }
  return found;
}

function lettersUpTo(dead: Texts, last: number): readonly string[] {
  const found: string[] = [];
  for (const key of dead.getKeys({ limit: BATCH })) {
    if (Number.parseInt(key as string, 10) > last) break;
    found.push(key as string);
  }
  return found;
}

function answerOps({ dbs }: EngineRows, [expires, id, name]: Dated): readonly Op[] {
  const due = { db: dbs.expiry, key: [expires, id, name] };
  const text = dbs.idempotency.get([id, name]);
  // A key that was reused after its expiry has a newer row, which stays.
  const isSame =
    text !== undefined && (JSON.parse(text) as { expires: number }).expires === expires;
  return isSame ? [due, { db: dbs.idempotency, key: [id, name] }] : [due];
}

function actorOps(rows: EngineRows, [at, kind, id]: Dated, before: number): readonly Op[] {
  const due = { db: rows.dbs.ended, key: [at, kind, id] };
  return isStillEnded(rows, kind, id, before) ? [due, ...rows.purgeOps({ id, kind })] : [due];
}

/** A rate that is unused again needs no row. */
function rateOps({ dbs }: EngineRows, [freshAt, queue, key]: Dated): readonly Op[] {
  const due = { db: dbs.ratesDue, key: [freshAt, queue, key] };
  const isSame = Number(dbs.rates.get([queue, key])) === freshAt;
  return isSame ? [due, { db: dbs.rates, key: [queue, key] }] : [due];
}

/** An actor that was purged and created again is another one, with its own end. */
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
