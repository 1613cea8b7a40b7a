import type { SyncEngineStore } from '../../runtime/engine/ports.ts';
import type { DeadLetter, ListQuery, ListRow } from '../../runtime/engine/types.ts';
import type { Input } from '../common/usage.ts';
import type { STORE } from '../usage/store.ts';
import { parseCount, readStore } from './read-store.ts';

/** Maximum of `--limit`. */
const LIMIT_MAX = 1_000_000;
const PAGE_ROWS = 1_000;

/** `stoa store list`: lists actors, or dead letters. Needs no code of the program. */
export async function list(asked: Input<typeof STORE.storeList>): Promise<number> {
  const { folder, limit, json } = asked;
  const max = parseCount('limit', limit, LIMIT_MAX);
  await readStore(folder, (store) => {
    const rows = asked['dead-letters'] ? takeLetters(store, max) : takeActors(store, asked, max);
    let count = 0;
    for (const row of rows) {
      count += 1;
      process.stdout.write(`${json ? JSON.stringify(row) : formatRow(row)}\n`);
    }
    if (count === 0 && !json) process.stdout.write('Nothing matches.\n');
    else if (count === max) process.stderr.write(`Only ${max} are shown; see --limit.\n`);
  });
  return 0;
}

function* takeActors(
  store: SyncEngineStore,
  { kind, state, status, prefix }: Input<typeof STORE.storeList>,
  max: number,
): Generator<ListRow> {
  const filter: ListQuery = {
    ...(kind === undefined ? {} : { kind }),
    ...(state === undefined ? {} : { state }),
    ...(status === undefined ? {} : { status }),
    ...(prefix === undefined ? {} : { prefix }),
  };
  let cursor: string | undefined;
  for (let left = max; left > 0; ) {
    const limit = Math.min(left, PAGE_ROWS);
    const page = store.list({ ...filter, limit, ...(cursor === undefined ? {} : { cursor }) });
    yield* page.rows;
    left -= page.rows.length;
    cursor = page.cursor;
    if (cursor === undefined) return;
  }
}

function* takeLetters(store: SyncEngineStore, max: number): Generator<DeadLetter> {
  let cursor: string | undefined;
  for (let left = max; left > 0; ) {
    const page = store.deadLetters(cursor, Math.min(left, PAGE_ROWS));
    yield* page.rows;
    left -= page.rows.length;
    cursor = page.cursor;
    if (cursor === undefined) return;
  }
}

function formatRow(row: ListRow | DeadLetter): string {
  const at = new Date(row.at).toISOString();
  if ('deadLetterId' in row) {
    const reason = row.reason.replaceAll(/\s+/g, ' ');
    return [at, row.deadLetterId, row.actorId, row.event.type, reason].join('  ');
  }
  const { id, kind, state, status, seq } = row;
  return [at, id, kind, state, status, `row ${seq}`].join('  ');
}
