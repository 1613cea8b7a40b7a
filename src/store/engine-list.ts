import { isInState } from '../runtime/snapshot.ts';
import type { ListQuery, ListRow, Page } from '../runtime/types.ts';
import { decodeEntry, decodeListed } from './engine-codec.ts';
import type { EngineDatabases } from './engine-rows.ts';

const LIMIT = 100;
const LIMIT_MAX = 1_000;
/** Index rows that one call looks at; a page may be short because of it, and goes on by cursor. */
const SCAN_MAX = 10_000;

/** Reads a page of actors, by kind and id. */
export function listActors(dbs: EngineDatabases, query: ListQuery): Page<ListRow> {
  const limit = Math.min(query.limit ?? LIMIT, LIMIT_MAX);
  const rows: ListRow[] = [];
  let seen = 0;
  let last = '';
  for (const { key, value } of dbs.index.getRange(rangeOf(query))) {
    const [kind, id] = key as [string, string];
    if (query.kind !== undefined && kind !== query.kind) break;
    if (rows.length >= limit || seen >= SCAN_MAX) return { rows, cursor: last };
    seen += 1;
    last = `${kind}\n${id}`;
    const row = decodeListed({ kind, id }, lastOf(dbs, id), value);
    if (query.state === undefined || isInState(row.state, query.state)) rows.push(row);
  }
  return { rows };
}

function rangeOf({ kind, cursor }: ListQuery) {
  if (cursor !== undefined) return { start: cursor.split('\n'), exclusiveStart: true };
  return kind === undefined ? {} : { start: [kind] };
}

function lastOf(dbs: EngineDatabases, id: string): { readonly seq: number; readonly at: number } {
  const range = { start: [id, Number.MAX_SAFE_INTEGER], end: [id], reverse: true, limit: 1 };
  for (const { key, value } of dbs.journal.getRange(range)) {
    return decodeEntry(id, (key as [string, number])[1], value);
  }
  return { seq: 0, at: 0 };
}
