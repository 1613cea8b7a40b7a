// Raw LMDB: the rows that our log writes for the same records, byte for byte but for ids and
// numbers, without hashing, sealing or a tree. Commits are synced one after the other, as in the
// log. CALLERS, SECONDS
import { open } from 'lmdb';
import { measureCallers } from '../lib/callers.mjs';
import { answer } from '../lib/cpu.mjs';
import { scratch } from '../lib/output.mjs';
import { digits, fill, openLog } from './log.mjs';

/** Records that are written once by the log itself, and copied from. */
const SAMPLES = 64;

const { CALLERS = '16', SECONDS = '2' } = process.env;
const folder = scratch(`proofs-raw-${process.pid}`);
const samples = await sampled();

const root = openRoot(`${folder.path}/raw`);
const tables = tablesOf(root);
let next = 0;
const result = await measureCallers(append, { callers: Number(CALLERS), seconds: Number(SECONDS) });
await root.close();
folder.clear();
answer(result);

/** All rows of one record in one turn of the event loop: LMDB keeps them together. */
function append() {
  const { record, apart, subject, hash } = samples[next % SAMPLES];
  const seq = next;
  next += 1;
  const id = digits();
  tables.records.put(seq, record);
  tables.refs.put([`set_${id}`, seq], '');
  tables.keys.put(`pay_${id}:settled`, String(seq));
  tables.payloads.put(seq, apart);
  tables.subjects.put([subject, seq], '');
  let [level, index] = [0, seq];
  for (; index % 2 === 1; index = (index - 1) / 2) {
    tables.hashes.put([level, index], hash);
    level += 1;
  }
  return tables.hashes.put([level, index], hash);
}

/** What the log has written for some records. */
async function sampled() {
  const { log, store } = await openLog(folder.path);
  await fill(log, SAMPLES);
  await log.close();
  const written = openRoot(store);
  const { records, payloads, subjects, hashes } = tablesOf(written);
  const [[subject]] = [...subjects.getKeys({ limit: 1 })];
  const rows = Array.from({ length: SAMPLES }, (_, seq) => ({
    record: records.get(seq),
    apart: payloads.get(seq),
    hash: hashes.get([0, seq]),
    subject,
  }));
  await written.close();
  return rows;
}

function openRoot(path) {
  return open({ path, encoding: 'string', maxDbs: 32, noSubdir: false, overlappingSync: false });
}

function tablesOf(from) {
  const names = ['records', 'refs', 'keys', 'payloads', 'subjects', 'hashes'];
  return Object.fromEntries(names.map((name) => [name, from.openDB(name, { encoding: 'string' })]));
}
