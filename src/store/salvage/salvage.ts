import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { toBufferKey } from 'ordered-binary';
import { EngineError } from '../../runtime/engine/error.ts';
import type { EngineStore, Write } from '../../runtime/engine/ports.ts';
import { DATA_FILE } from '../common/folder.ts';
import { keepOwnersOut } from '../common/folder-lock.ts';
import { checkFile } from '../engine/check-file.ts';
import { openEngineStore } from '../engine/engine-store.ts';
import { FACETS_MARK } from '../engine/engine-upgrade.ts';
import { SEALS_MARK } from '../engine/row-check.ts';
import {
  ACTOR_FAMILIES,
  type ActorFacts,
  type ActorRows,
  copyActor,
  isContiguous,
  planActor,
} from './actor-plan.ts';
import { type Finding, type ScannedRow, StoreScan } from './store-scan.ts';

/** Writes of one commit. */
const BATCH = 2_000;
/** Damaged actors that a report names; further ones are counted. */
const ACTORS_NAMED_MAX = 1_000;

/** What is damaged in a store, and what comes over to a new one. */
export interface SalvageReport {
  /** The data file. */
  readonly file: string;
  readonly isEngineStore: boolean;
  /** Number of the last commit, if it can be read. */
  readonly commit?: string;
  /** At most 1,000. */
  readonly findings: readonly Finding[];
  readonly findingCount: number;
  /** Readable rows of all families. */
  readonly readableRows: number;
  readonly wholeActors: number;
  /** Actors that come over in part or not at all; at most 1,000. */
  readonly damagedActors: readonly { readonly id: string; readonly loss: string }[];
  readonly damagedActorCount: number;
  /** Rows of no actor that are lost: dead letters, schedules, queues and marks. */
  readonly lostSharedRows: number;
}

/**
 * Finds all damage of a store, of any program's kinds. Only reads.
 *
 * @throws {EngineError} `STORE_BUSY` if a program has it open; `STORE_FAILED` if there is no store.
 */
export async function checkStore(path: string): Promise<SalvageReport> {
  assertStore(path);
  const release = keepOwnersOut(path);
  try {
    return await salvage(path, async () => undefined);
  } finally {
    release();
  }
}

/**
 * Writes what can be read of a store to a new one.
 *
 * @param target - A folder without a store; created if missing.
 * @throws {EngineError} `STORE_BUSY`; `STORE_FAILED` if the folder holds no store of an engine, or
 * the target holds one; the errors of a commit.
 */
export async function salvageStore(path: string, target: string): Promise<SalvageReport> {
  assertStore(path);
  if (existsSync(join(target, DATA_FILE))) {
    const message = `${target} holds a store already; name a new folder.`;
    throw new EngineError('STORE_FAILED', message, { data: { path: target } });
  }
  const release = keepOwnersOut(path);
  let store: EngineStore | undefined;
  try {
    return await salvage(path, async (writes) => {
      store ??= openEngineStore({ path: target });
      await store.commit(writes);
    });
  } finally {
    await store?.close();
    release();
  }
}

async function salvage(
  path: string,
  commit: (writes: readonly Write[]) => Promise<void>,
): Promise<SalvageReport> {
  const scan = new StoreScan(path);
  scan.run();
  const isEmpty = statSync(scan.file).size === 0;
  const { fault } = checkFile(scan.file);
  const isFileDamaged = fault !== undefined && scan.findingCount === 0;
  const fileFindings: readonly Finding[] = isFileDamaged ? [{ place: 'file', what: fault }] : [];
  const totals = scan.isEngineStore
    ? await copyRows(scan, commit)
    : { wholeActors: 0, damagedActors: [], damagedActorCount: 0, lostSharedRows: 0 };
  return {
    file: scan.file,
    isEngineStore: scan.isEngineStore && !isEmpty,
    ...(scan.commit === undefined ? {} : { commit: scan.commit }),
    findings: [...scan.findings, ...fileFindings],
    findingCount: scan.findingCount + fileFindings.length,
    readableRows: scan.readableRows,
    ...totals,
  };
}

function assertStore(path: string): void {
  if (existsSync(join(path, DATA_FILE))) return;
  const message = `${path} holds no store; name a folder that contains ${DATA_FILE}.`;
  throw new EngineError('STORE_FAILED', message, { data: { path } });
}

type Totals = Pick<
  SalvageReport,
  'wholeActors' | 'damagedActors' | 'damagedActorCount' | 'lostSharedRows'
>;

/** Commits what comes over, and counts it. */
async function copyRows(
  scan: StoreScan,
  commit: (writes: readonly Write[]) => Promise<void>,
): Promise<Totals> {
  let writes: Write[] = [];
  const add = async (more: readonly Write[]): Promise<void> => {
    writes.push(...more);
    if (writes.length < BATCH) return;
    await commit(writes);
    writes = [];
  };
  const actors = await copyActors(scan, add);
  let lostSharedRows = 0;
  for (const [family, toWrite] of Object.entries(SHARED)) {
    for (const { key, text } of scan.read(family)) {
      if (text === undefined) lostSharedRows += 1;
      else if (!OWN_MARKS.has(key[0])) await add([toWrite(text, key)]);
    }
  }
  await commit(writes);
  return { ...actors, lostSharedRows };
}

async function copyActors(
  scan: StoreScan,
  add: (writes: readonly Write[]) => Promise<void>,
): Promise<Omit<Totals, 'lostSharedRows'>> {
  const damagedActors: { readonly id: string; readonly loss: string }[] = [];
  let wholeActors = 0;
  let damagedActorCount = 0;
  for (const facts of scanActors(scan)) {
    const { writes, loss } = isSuspect(scan, facts)
      ? planActor(facts)
      : { writes: copyActor(facts) };
    await add(writes);
    if (loss === undefined) {
      wholeActors += 1;
      continue;
    }
    damagedActorCount += 1;
    if (damagedActors.length < ACTORS_NAMED_MAX) damagedActors.push({ id: facts.id, loss });
  }
  return { wholeActors, damagedActors, damagedActorCount };
}

function isSuspect(scan: StoreScan, facts: ActorFacts): boolean {
  const isDamaged = ACTOR_FAMILIES.some((family) => scan.isDamaged(family, facts.id));
  return isDamaged || !isContiguous(facts) || endsEarly(facts);
}

/** Whether another family names a later row than the last that was found. */
function endsEarly({ rows, lastSeq }: ActorFacts): boolean {
  const last = rows.journal.at(-1) ?? rows.snapshots.at(-1);
  return last !== undefined && Number(last.key[1]) < lastSeq;
}

/** Marks of upgrades, which are the new store's own. */
const OWN_MARKS: ReadonlySet<unknown> = new Set([SEALS_MARK, FACETS_MARK]);

/** How a row that belongs to no single actor is written. */
const SHARED: Readonly<Record<string, (text: string, key: readonly unknown[]) => Write>> = {
  dead: (text) => ({ put: 'dead', row: JSON.parse(text) }),
  schedules: (text) => ({ put: 'schedule', row: JSON.parse(text) }),
  waiting: (text) => ({ put: 'waiting', row: JSON.parse(text) }),
  slots: (text) => ({ put: 'slot', row: JSON.parse(text) }),
  systems: (text) => ({ put: 'systemId', row: JSON.parse(text) }),
  rates: (text, [queue, key]) => ({
    put: 'rate',
    row: { queue: String(queue), key: String(key), freshAt: Number(text) },
  }),
  marks: (text, [name]) => ({ put: 'mark', name: String(name), text }),
};

/** Yields the actors of a store in the order of their ids, with all rows of each. */
function* scanActors(scan: StoreScan): Iterable<ActorFacts> {
  const lastSeqs = readLastSeqs(scan);
  const streams = ACTOR_FAMILIES.map((family) => new ActorStream(family, scan.read(family)));
  for (;;) {
    const id = findFirstId(streams);
    if (id === undefined) return;
    const rows = Object.fromEntries(streams.map((stream) => [stream.family, stream.take(id)]));
    const hasGap = scan.hasGaps('feed') && scan.isDamaged('journal', id);
    yield {
      id,
      rows: rows as ActorRows,
      lastSeq: lastSeqs.get(id) ?? 0,
      hasDamagedWaits: scan.isDamaged('timers', id) || scan.isDamaged('effects', id),
      mayMissRows: hasGap,
    };
  }
}

/** The feed names every journal row, in another tree; it is read only if some may be missing. */
function readLastSeqs(scan: StoreScan): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  if (scan.findingCount === 0) return found;
  for (const { text } of scan.read('feed')) {
    if (text === undefined) continue;
    const [id, seq] = JSON.parse(text) as [string, number];
    found.set(id, Math.max(found.get(id) ?? 0, seq));
  }
  return found;
}

function findFirstId(streams: readonly ActorStream[]): string | undefined {
  const ids = streams.flatMap(({ id }) => (id === undefined ? [] : [id]));
  const sorted = ids.toSorted((a, b) => Buffer.compare(toBufferKey([a]), toBufferKey([b])));
  return sorted[0];
}

/** The rows of a family, grouped by actor. */
class ActorStream {
  readonly family: (typeof ACTOR_FAMILIES)[number];
  readonly #rows: Iterator<ScannedRow>;
  #next: ScannedRow | undefined;

  constructor(family: (typeof ACTOR_FAMILIES)[number], rows: Iterable<ScannedRow>) {
    this.family = family;
    this.#rows = rows[Symbol.iterator]();
    this.#advance();
  }

  /** Actor of the next row. */
  get id(): string | undefined {
    return this.#next === undefined ? undefined : String(this.#next.key[0]);
  }

  /** Takes the rows of an actor, if they are next. */
  take(id: string): readonly ScannedRow[] {
    const rows: ScannedRow[] = [];
    while (this.#next !== undefined && this.id === id) {
      rows.push(this.#next);
      this.#advance();
    }
    return rows;
  }

  #advance(): void {
    const step = this.#rows.next();
    this.#next = step.done === true ? undefined : step.value;
  }
}
