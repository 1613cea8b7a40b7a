// Raw LMDB with the same settings. LAYOUT=row: one record a line; LAYOUT=chunk: 256 lines a record,
// LZ4, without labels or heads. LINES
import { statSync } from 'node:fs';
import { open } from 'lmdb';
import { answer } from '../lib/cpu.mjs';
import { scratch } from '../lib/output.mjs';
import { makeLines, measured, medianMs } from './lines.mjs';

const CHUNK = process.env.LAYOUT === 'chunk' ? 256 : 1;
/** Lines of one commit, as in our store. */
const COMMIT = 4_096;
const messages = makeLines(Number(process.env.LINES));
const folder = scratch(`hosting-raw-${process.pid}`);
const path = `${folder.path}/raw`;
const root = open({ path, noSubdir: false, overlappingSync: false });
const db = root.openDB('lines', { encoding: 'string', compression: CHUNK > 1 });
const write = await measured(messages.length, async () => {
  for (let from = 0; from < messages.length; from += COMMIT) {
    let put;
    const until = Math.min(messages.length, from + COMMIT);
    for (let at = from; at < until; at += CHUNK) {
      const rows = messages.slice(at, at + CHUNK).map((message, n) => rowOf(message, at + n));
      put = db.put(['srv-a', at], JSON.stringify(rows));
    }
    await put;
  }
});
await root.flushed;
const bytes = statSync(`${path}/data.mdb`).size / messages.length;
const lastMs = await medianMs(() => find(({ level }) => level === 'ERROR', 100), 21);
const scan = await measured(messages.length, () => find(({ m }) => m.includes('no such words'), 1));
await root.close();
folder.clear();
answer({ write, bytes, lastMs, scan });

function rowOf(m, at) {
  return {
    at: 1_795_000_000_000 + at,
    level: m.slice(25, m.indexOf(' [')),
    type: 'app',
    i: 'i-1',
    m,
  };
}

function find(fits, limit) {
  const found = [];
  for (const { value } of db.getRange({ reverse: true })) {
    for (const row of JSON.parse(value).reverse()) if (fits(row)) found.push(row);
    if (found.length >= limit) break;
  }
  return found;
}
