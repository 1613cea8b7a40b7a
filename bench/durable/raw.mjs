// Raw LMDB: the rows that our engine writes for the same calls, byte for byte but for ids, without
// an engine. MODE=rows all of them, MODE=one the journal row only, MODE=visible all, without
// waiting for the disk. CALLERS, SECONDS
import { open } from 'lmdb';
import { measureCallers, WARM_CALLERS } from '../lib/callers.mjs';
import { answer } from '../lib/cpu.mjs';
import { scratch } from '../lib/output.mjs';
import { recordedCalls } from './recorded.mjs';

const { CALLERS = '16', SECONDS = '2', MODE = 'rows' } = process.env;
const recorded = await recordedCalls();
const calls = MODE === 'one' ? recorded.map((rows) => rows.slice(0, 1)) : recorded;

const folder = scratch(`durable-raw-${process.pid}`);
// The options of the engine's own store.
const root = open({
  path: folder.path,
  encoding: 'string',
  maxDbs: 32,
  noSubdir: false,
  separateFlushed: true,
});
const databases = new Map();
for (const { name } of calls.flat()) {
  if (!databases.has(name)) databases.set(name, root.openDB(name, { encoding: 'string' }));
}

let written = 0;
const callers = Number(CALLERS);
const nextOf = new Array(Math.max(callers, WARM_CALLERS)).fill(0);
const result = await measureCallers(call, { callers, seconds: Number(SECONDS) });
await root.close();
folder.clear();
answer(result);

async function call(caller) {
  written += 1;
  nextOf[caller] += 1;
  const facts = { id: `flip/${caller}`, seq: nextOf[caller], globalSeq: written };
  let last;
  for (const { name, keyOf, text } of calls[nextOf[caller] % calls.length]) {
    const database = databases.get(name);
    last = text === undefined ? database.remove(keyOf(facts)) : database.put(keyOf(facts), text);
  }
  await last;
  if (MODE !== 'visible') await last.flushed;
}
