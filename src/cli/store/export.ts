import { once } from 'node:events';
import type { SyncEngineStore } from '../../runtime/engine/ports.ts';
import type { Input } from '../common/usage.ts';
import type { STORE } from '../usage/store.ts';
import { readStore, unknownActor } from './read-store.ts';

const PAGE_ROWS = 1_000;

/** `stoa store export`: writes journals as JSON lines, as `rehearse` reads them. */
export async function exportJournal(asked: Input<typeof STORE.storeExport>): Promise<number> {
  const { folder, ids } = asked;
  await readStore(folder, async (store) => {
    for (const id of ids.length > 0 ? ids : listIds(store)) await writeJournal(store, folder, id);
  });
  return 0;
}

async function writeJournal(store: SyncEngineStore, folder: string, id: string): Promise<void> {
  if (store.load(id) === undefined) throw unknownActor(folder, id);
  for (let from = 1; ; ) {
    const rows = store.readJournal(id, from, PAGE_ROWS);
    const text = rows.map((row) => `${JSON.stringify(row)}\n`).join('');
    // A long journal must not wait in memory for a slow reader.
    if (!process.stdout.write(text)) await once(process.stdout, 'drain');
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE_ROWS) return;
    from = last.seq + 1;
  }
}

function* listIds(store: SyncEngineStore): Generator<string> {
  let cursor: string | undefined;
  do {
    const page = store.list({ limit: PAGE_ROWS, ...(cursor === undefined ? {} : { cursor }) });
    for (const { id } of page.rows) yield id;
    cursor = page.cursor;
  } while (cursor !== undefined);
}
