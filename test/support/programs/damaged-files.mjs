// Opens, reads and writes a store once for each damage of its file, in one process, and compares
// with what a check says.
//   node damaged-files.mjs <dist> <whole store> <store> <kind> <from> <to>
// Says each case before it begins, then `end <JSON of counts>`.
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [dist, source, path, kind, from, to] = process.argv.slice(2);
const load = (file) => import(pathToFileURL(join(dist, file)).href);
const { openEngineStore } = await load('store/engine/engine-store.js');
const { checkStore } = await load('store/salvage/salvage.js');
const TYPED = ['DATA_DAMAGED', 'STORE_FAILED', 'STORE_NEWER'];
const PAGE_BYTES = 4096;
const whole = readFileSync(join(source, 'data.mdb'));
const counts = { whole: 0, refused: 0, named: 0 };

const expected = (await use(() => copyFileSync(join(source, 'data.mdb'), join(path, 'data.mdb'))))
  .content;
for (let at = Number(from); at < Number(to); at += 1) {
  writeSync(1, `${kind} ${at}\n`);
  const found = await use(() => writeFileSync(join(path, 'data.mdb'), damage(at)));
  const isWhole = found.check.findingCount === 0 && found.check.damagedActorCount === 0;
  const says = JSON.stringify({ at, code: found.code, check: found.check.findings });
  if (isWhole && (found.code !== undefined || found.isNamed)) throw new Error(`unseen ${says}`);
  const isSilent = found.code === undefined && !found.isNamed && found.content !== expected;
  if (isSilent) throw new Error(`silent ${says}`);
  if (found.code !== undefined) counts.refused += 1;
  else if (found.isNamed) counts.named += 1;
  else counts.whole += 1;
}
writeSync(1, `end ${JSON.stringify(counts)}\n`);

function damage(at) {
  const random = mulberry(at);
  const place = Math.floor(random() * whole.length);
  if (kind === 'empty') return Buffer.alloc(0);
  if (kind === 'truncated') return whole.subarray(0, place);
  const bytes = Buffer.from(whole);
  // A third of the places are in the first pages, which lead to all others.
  const near = at % 3 === 0 ? place % (4 * PAGE_BYTES) : place;
  const page = near - (near % PAGE_BYTES);
  if (kind === 'flipped') bytes[near] ^= 1 << (at & 7);
  else if (at % 10 === 9) fill(bytes, random);
  else fill(bytes.subarray(page, page + PAGE_BYTES), random);
  return bytes;
}

function fill(bytes, random) {
  for (const at of bytes.keys()) bytes[at] = kind === 'zeroed' ? 0 : Math.floor(random() * 256);
}

async function use(write) {
  rmSync(path, { recursive: true, force: true });
  mkdirSync(path);
  write();
  const check = await checkStore(path);
  const found = { check, isNamed: false, content: '' };
  let store;
  try {
    store = openEngineStore({ path, reserveBytes: 0 });
    store.watchDamage(() => {
      found.isNamed = true;
    });
    found.content = JSON.stringify(readAll(store, found));
    await store.commit([{ put: 'mark', name: 'x', text: 'y'.repeat(20_000) }]);
  } catch (thrown) {
    if (!TYPED.includes(thrown.code)) throw thrown;
    found.code = thrown.code;
  }
  await store?.close();
  return found;
}

function readAll(store, found) {
  const attempt = (run) => {
    try {
      return run();
    } catch (thrown) {
      if (thrown.code !== 'DATA_DAMAGED') throw thrown;
      found.isNamed = true;
      return undefined;
    }
  };
  const ids = Array.from({ length: 30 }, (_, n) => `a${n}`);
  return [
    attempt(() => store.list({ limit: 1_000 })),
    attempt(() => store.list({ limit: 1_000, kind: 'k', status: 'active' })),
    ids.map((id) => attempt(() => store.load(id))),
    ids.map((id) => attempt(() => store.readJournal(id, 1, 1_000))),
    attempt(() => store.feed(0, 10_000)),
    attempt(() => store.dueTimers(Number.MAX_SAFE_INTEGER, 1_000)),
    attempt(() => store.deadLetters(undefined, 1_000)),
    attempt(() => store.outbox(1_000)),
  ];
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
