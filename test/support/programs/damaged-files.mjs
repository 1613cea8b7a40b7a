// Opens, reads and writes a store once for each damage of its file, in one process.
//   node damaged-files.mjs <dist> <whole data.mdb> <store> <kind> <from> <to>
// Says each case before it begins, then `end <whole> <refused>`.
import { mkdirSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const [dist, source, path, kind, from, to] = process.argv.slice(2);
const { openEngineStore } = await import(
  pathToFileURL(`${dist}/store/engine/engine-store.js`).href
);
const whole = readFileSync(source);
const counts = { whole: 0, refused: 0 };
const TYPED = ['DATA_DAMAGED', 'STORE_FAILED', 'STORE_NEWER'];

for (let at = Number(from); at < Number(to); at += 1) {
  writeSync(1, `${kind} ${at}\n`);
  rmSync(path, { recursive: true, force: true });
  mkdirSync(path);
  writeFileSync(`${path}/data.mdb`, damage(at));
  await use();
}
writeSync(1, `end ${counts.whole} ${counts.refused}\n`);

function damage(at) {
  const random = mulberry(at);
  const place = Math.floor(random() * whole.length);
  if (kind === 'truncated') return whole.subarray(0, place);
  if (kind === 'random') return Buffer.from(whole, 0).map(() => Math.floor(random() * 256));
  const bytes = Buffer.from(whole);
  // Half of the places are in the first pages, which lead to all others.
  const near = at % 2 === 0 ? place : place % (4 * 4096);
  if (kind === 'zeroed')
    bytes.fill(0, near, Math.min(whole.length, near + 1 + Math.floor(random() * 4096)));
  else bytes.writeUInt8(bytes.readUInt8(near) ^ (1 << (at & 7)), near);
  return bytes;
}

async function use() {
  let store;
  try {
    store = openEngineStore({ path, reserveBytes: 0 });
    for (const { id } of store.list({ limit: 1_000 }).rows) attempt(() => store.load(id));
    attempt(() => store.readJournal('a1', 1, 100));
    store.feed(0, 10_000);
    store.dueTimers(Number.POSITIVE_INFINITY, 1_000);
    await store.commit([{ put: 'mark', name: 'x', text: 'y'.repeat(20_000) }]);
    counts.whole += 1;
  } catch (thrown) {
    if (!TYPED.includes(thrown.code)) throw thrown;
    counts.refused += 1;
  }
  await store?.close();
}

function attempt(run) {
  try {
    run();
  } catch (thrown) {
    if (!TYPED.includes(thrown.code)) throw thrown;
  }
}

function mulberry(seed) {
  let state = (seed + 1) * 0x6d2b79f5;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
