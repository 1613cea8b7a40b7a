// Opens, reads and writes a store once for each damage of its files, in one process, and compares
// with what was written and with what a check says.
//   node damaged-files.mjs <dist> <whole store> <store> <kind> <from> <to>
// Says each case before it begins, then `end <JSON of counts and faults>`.
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [dist, source, path, kind, from, to] = process.argv.slice(2);
const load = (file) => import(pathToFileURL(join(dist, file)).href);
const { openEngineStore } = await load('store/engine/engine-store.js');
const { checkStore } = await load('store/salvage/salvage.js');
const TYPED = ['DATA_DAMAGED', 'STORE_NEWER'];
const PAGE_BYTES = 4096;
const FAULTS_MAX = 20;
const FILE = kind === 'lock' ? 'lock.mdb' : 'data.mdb';
const whole = readFileSync(join(source, FILE));
const counts = { whole: 0, refused: 0, named: 0, faults: [] };

const expected = (await use(() => undefined)).reads;
const written = new Set(['null', ...expected.flatMap(toRows)]);
for (let at = Number(from); at < Number(to); at += 1) {
  writeSync(1, `${kind} ${at}\n`);
  const found = await use(() => writeFileSync(join(path, FILE), damage(at)));
  const fault = judge(found);
  if (fault !== undefined && counts.faults.length < FAULTS_MAX) {
    const { code, message, named, check } = found;
    counts.faults.push({ at, fault, code, message, named, findings: check.findings });
  }
  if (found.code !== undefined) counts.refused += 1;
  else if (found.named.length > 0) counts.named += 1;
  else counts.whole += 1;
}
writeSync(1, `end ${JSON.stringify(counts)}\n`);

/** Returns what breaks the promise, if anything does. */
function judge({ code, data, named, check, reads, again, after }) {
  const isWhole = check.findingCount === 0 && check.damagedActorCount === 0;
  if (isWhole && (code !== undefined || named.length > 0)) return 'a check sees no damage';
  if (code === 'DATA_DAMAGED' && !(data.file && data.place)) return 'a refusal names no place';
  if (code !== undefined) return undefined;
  if (!isWhole && named.length === 0) return 'a check sees damage that no notice names';
  const rows = check.findings.map(({ what }) => /^the row (.*) is damaged/.exec(what)?.[1]);
  const missing = rows.filter((row) => row !== undefined && !named.includes(row));
  if (missing.length > 0) return `no notice names ${missing}`;
  return judgeReads({ named, check, reads, again, after });
}

function judgeReads({ named, check, reads, again, after }) {
  const wrong = reads.flatMap(toRows).find((row) => !written.has(row));
  if (wrong !== undefined) return `a row was not written: ${wrong}`;
  const isEqual = JSON.stringify(reads) === JSON.stringify(expected);
  if (!isEqual && named.length === 0) return 'rows are missing, and no notice says so';
  if (JSON.stringify(again) !== JSON.stringify(reads)) return 'rows changed with a commit';
  if (after.findingCount > check.findingCount)
    return `a commit damaged it: ${after.findings[0]?.what}`;
  return undefined;
}

/** Returns the rows of a read, one JSON each. */
function toRows(read) {
  if (read === undefined || read === null) return [];
  const lists = Array.isArray(read) ? read : Object.values(read).flat();
  return lists.map((row) => JSON.stringify(row));
}

/** Number and time of the last row are in the row of the journal, which can be damaged. */
function toListed({ id, kind, state, status, createdAt }) {
  return { id, kind, state, status, createdAt };
}

function damage(at) {
  const random = mulberry(at);
  const place = Math.floor(random() * whole.length);
  if (kind === 'empty') return Buffer.alloc(0);
  if (kind === 'truncated') return whole.subarray(0, place);
  const bytes = Buffer.from(whole);
  // A third of the places are in the first pages, which lead to all others, or in a page's head.
  const near = at % 3 === 0 ? place % (4 * PAGE_BYTES) : place;
  const page = near - (near % PAGE_BYTES);
  const head = at % 3 === 1 ? page + (near % 64) : near;
  if (kind === 'flipped' || (kind === 'lock' && at % 2 === 0)) bytes[head] ^= 1 << (at & 7);
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
  for (const name of ['data.mdb', 'lock.mdb']) copyFileSync(join(source, name), join(path, name));
  write();
  const check = await checkStore(path);
  const found = { check, named: [], reads: [] };
  let store;
  try {
    store = openEngineStore({ path, reserveBytes: 0 });
    const seen = new Set();
    store.watchDamage(({ data }) => seen.add(data.key));
    found.reads = readAll(store, seen);
    await store.commit([{ put: 'mark', name: 'x', text: 'y'.repeat(20_000) }]);
    await store.commit([{ put: 'mark', name: 'x', text: 'y' }]);
    found.again = readAll(store, seen);
    found.named = [...seen];
  } catch (thrown) {
    if (!TYPED.includes(thrown.code)) throw thrown;
    Object.assign(found, { code: thrown.code, message: thrown.message, data: thrown.data });
  }
  await store?.close();
  if (found.code === undefined) found.after = await checkStore(path);
  return found;
}

function readAll(store, seen) {
  const attempt = (run) => {
    try {
      return run();
    } catch (thrown) {
      if (thrown.code !== 'DATA_DAMAGED') throw thrown;
      seen.add(thrown.data.key);
      return undefined;
    }
  };
  const ids = Array.from({ length: 12 }, (_, n) => `a${n}`);
  return [
    attempt(() => store.list({ limit: 1_000 }).rows.map(toListed)),
    attempt(() => store.list({ limit: 1_000, kind: 'k', status: 'active' }).rows.map(toListed)),
    ...ids.map((id) => attempt(() => store.load(id))),
    ...ids.map((id) => attempt(() => store.readJournal(id, 1, 1_000))),
    attempt(() => store.feed(0, 10_000)),
    attempt(() => store.dueTimers(Number.MAX_SAFE_INTEGER, 1_000)),
    attempt(() => store.deadLetters(undefined, 1_000).rows),
    attempt(() => store.outbox(1_000)),
    attempt(() => store.crashes()),
    attempt(() => store.schedules()),
    attempt(() => store.slots()),
    attempt(() => store.waiting('q', undefined, 1_000)),
    ...ids.map((id) => attempt(() => store.waitingOf({ queue: 'q', key: id }, undefined, 10))),
    ...ids.map((id) => attempt(() => store.idempotency(id, 'key'))),
    ...ids.map((id) => attempt(() => [store.rate('q', id) ?? null])),
    attempt(() => [store.mark('machine/k') ?? null]),
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
