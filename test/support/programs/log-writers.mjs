// Reads two spools, one of a program's lines and one of a router's rows, into logs and metrics, from
// where they were taken on, until it is killed. What the disk is said to have goes to stdout.
//   node log-writers.mjs <dist> <folder> <seed>
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const [dist, folder, seed] = process.argv.slice(2);
const load = (name) => import(pathToFileURL(`${dist}/${name}`).href);
const { openHostingLogs } = await load('store/hosting/hosting-logs.js');
const { openHostingMetrics } = await load('store/hosting/hosting-metrics.js');
const { createRequestRecorder } = await load('store/hosting/hosting-requests.js');

const rate = { linesPerSecond: 10_000_000, burst: 10_000_000 };
const logs = openHostingLogs({ path: `${folder}/logs`, rate });
const metrics = openHostingMetrics({ path: `${folder}/metrics` });
const recorder = createRequestRecorder(logs, metrics);
let state = Number(seed) + 1;
const random = () => {
  state = (state * 48_271) % 2_147_483_647;
  return state / 2_147_483_647;
};
setInterval(() => metrics.flush().catch(() => undefined), 40);
process.stdout.write('ready\n');
await Promise.all([readProgram(), readRouter()]);
process.stdout.write('end\n');
setInterval(() => undefined, 1_000);

async function readProgram() {
  const lines = linesOf('program');
  let at = logs.storedUntil('program');
  while (at < lines.length) {
    const some = lines.slice(at, at + 1 + Math.floor(random() * 300));
    const news = some.map((message, n) => ({
      end: at + n + 1,
      resource: 'srv-a',
      type: 'app',
      message,
    }));
    // Some of it is handed over twice, as by a reader who is not sure.
    const append = logs.append('program', news);
    const again = logs.append('program', news.slice(0, 10));
    await Promise.all([append, again]);
    at += some.length;
    process.stdout.write(`program ${at}\n`);
  }
}

async function readRouter() {
  const lines = linesOf('router');
  let at = recorder.taken('router');
  while (at < lines.length) {
    const some = lines.slice(at, at + 1 + Math.floor(random() * 300));
    await recorder.append(
      'router',
      some.map((text, n) => ({ end: at + n + 1, text })),
    );
    at += some.length;
    process.stdout.write(`router ${at}\n`);
  }
}

function linesOf(spool) {
  return readFileSync(`${folder}/${spool}.spool`, 'utf8').split('\n').slice(0, -1);
}
