import type { Key } from 'lmdb';
import { isInState } from '../../runtime/engine/snapshot.ts';
import type { ListQuery, ListRow, Page } from '../../runtime/engine/types.ts';
import { searchActors } from '../../runtime/search/search-actors.ts';
import type { TextTable } from '../common/text-table.ts';
import { decodeEntry, decodeListed } from './engine-codec.ts';
import type { EngineDatabases } from './engine-databases.ts';
import { statePrefix, statusPrefix } from './engine-facets.ts';
import { EngineSearch } from './engine-search.ts';

const LIMIT = 100;
const LIMIT_MAX = 1_000;
/** Maximum rows checked per call. A page can be short because of it and continues by cursor. */
const SCAN_MAX = 10_000;

/**
 * Reads a page of actors, sorted by kind and id.
 *
 * @param hasFacets - Whether every actor has facets; otherwise all actors of a kind are checked.
 */
export function listActors(
  dbs: EngineDatabases,
  query: ListQuery,
  hasFacets: boolean,
): Page<ListRow> {
  if (query.where !== undefined || query.orderBy !== undefined) return searchRows(dbs, query);
  const limit = Math.min(query.limit ?? LIMIT, LIMIT_MAX);
  const rows: ListRow[] = [];
  let seen = 0;
  let last = '';
  for (const [kind, id] of scanCandidates(dbs, query, hasFacets)) {
    if (rows.length >= limit || seen >= SCAN_MAX) return { rows, cursor: last };
    seen += 1;
    last = `${kind}\n${id}`;
    const row = readRow(dbs, kind, id);
    if (row !== undefined && matchesQuery(row, query)) rows.push(row);
  }
  return { rows };
}

function searchRows(dbs: EngineDatabases, query: ListQuery): Page<ListRow> {
  const row = (kind: string, id: string) => {
    const text = dbs.index.get([kind, id]);
    return text === undefined ? undefined : decodeListed({ kind, id }, { seq: 0, at: 0 }, text);
  };
  const complete = (found: ListRow) => ({ ...found, ...readLast(dbs, found.id) });
  return searchActors(new EngineSearch(dbs, { row, complete }), query);
}

/** Yields kind and id of actors after the cursor that may match, in order. */
function* scanCandidates(
  dbs: EngineDatabases,
  query: ListQuery,
  hasFacets: boolean,
): Iterable<Candidate> {
  const { kind, state, status, prefix, cursor } = query;
  const after = cursor === undefined ? undefined : (cursor.split('\n') as [string, string]);
  const hasFilter = state !== undefined || status !== undefined;
  if (prefix !== undefined) {
    yield* scanIdPrefix(dbs, { kind, prefix }, after);
    return;
  }
  if (!hasFacets || !hasFilter) {
    yield* scanKind(dbs, kind, after);
    return;
  }
  for (const each of kind === undefined ? scanKinds(dbs, after?.[0]) : [kind]) {
    const prefix =
      state === undefined
        ? statusPrefix(each, status as ListRow['status'])
        : statePrefix(each, state);
    yield* scanFacet(dbs.facets, prefix, after?.[0] === each ? after[1] : undefined);
  }
}

type Candidate = readonly [kind: string, id: string];

function* scanKind(
  { index }: EngineDatabases,
  kind: string | undefined,
  after: Candidate | undefined,
): Iterable<Candidate> {
  const first = kind === undefined ? {} : { start: [kind] };
  const range = after === undefined ? first : { start: [...after], exclusiveStart: true };
  for (const key of index.getKeys(range)) {
    const found = key as [string, string];
    if (kind !== undefined && found[0] !== kind) return;
    yield found;
  }
}

/** Ids with a common prefix are adjacent within a kind, because keys sort like ids. */
function* scanIdPrefix(
  dbs: EngineDatabases,
  { kind, prefix }: { readonly kind: string | undefined; readonly prefix: string },
  after: Candidate | undefined,
): Iterable<Candidate> {
  for (const each of kind === undefined ? scanKinds(dbs, after?.[0]) : [kind]) {
    const range =
      after?.[0] === each ? { start: [...after], exclusiveStart: true } : { start: [each, prefix] };
    for (const key of dbs.index.getKeys(range)) {
      const found = key as [string, string];
      if (found[0] !== each || !found[1].startsWith(prefix)) break;
      yield found;
    }
  }
}

/** Yields the kinds that have actors, in order, with one lookup per kind. */
function* scanKinds({ index }: EngineDatabases, from: string | undefined): Iterable<string> {
  let start: Key[] = from === undefined ? [] : [from];
  for (;;) {
    const [key] = [...index.getKeys({ ...(start.length === 0 ? {} : { start }), limit: 1 })];
    if (key === undefined) return;
    const [kind] = key as [string];
    yield kind;
    // Names contain no control characters, so this key is after all ids and before the next kind.
    start = [`${kind}\u0001`];
  }
}

function* scanFacet(
  facets: TextTable,
  prefix: readonly Key[],
  after: string | undefined,
): Iterable<Candidate> {
  const range =
    after === undefined
      ? { start: [...prefix] }
      : { start: [...prefix, after], exclusiveStart: true };
  for (const key of facets.getKeys(range)) {
    const parts = key as readonly string[];
    if (!prefix.every((part, at) => parts[at] === part)) return;
    yield [parts[0] ?? '', parts[3] ?? ''];
  }
}

/** Facets may be outdated, so the row itself decides. */
function matchesQuery(row: ListRow, { state, status }: ListQuery): boolean {
  if (state !== undefined && !isInState(row.state, state)) return false;
  return status === undefined || row.status === status;
}

function readRow(dbs: EngineDatabases, kind: string, id: string): ListRow | undefined {
  const text = dbs.index.getWhole([kind, id]);
  return text === undefined ? undefined : decodeListed({ kind, id }, readLast(dbs, id), text);
}

function readLast(dbs: EngineDatabases, id: string): { readonly seq: number; readonly at: number } {
  const range = { start: [id, Number.MAX_SAFE_INTEGER], end: [id], reverse: true, limit: 1 };
  for (const key of dbs.journal.getKeys(range)) {
    const [, entrySeq] = key as [string, number];
    const text = dbs.journal.getWhole(key);
    if (text === undefined) return { seq: entrySeq, at: 0 };
    const { seq, at } = decodeEntry(id, entrySeq, text);
    return { seq, at };
  }
  return { seq: 0, at: 0 };
}
