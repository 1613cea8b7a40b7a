// Our logs: lines of one resource from one spool, in batches of 1,000, eight on their way at most.
// LINES
import { readdirSync, statSync } from 'node:fs';
import { answer } from '../lib/cpu.mjs';
import { fromDist } from '../lib/dist.mjs';
import { scratch } from '../lib/output.mjs';
import { makeLines, measured, medianMs } from './lines.mjs';

// The store's own waits keep no process alive.
const alive = setInterval(() => undefined, 1_000);
const BATCH = 1_000;
const IN_FLIGHT = 8;
const { openHostingLogs } = await fromDist('store/hosting/hosting-logs.js');
const messages = makeLines(Number(process.env.LINES));
const folder = scratch(`hosting-logs-${process.pid}`);
const rate = { linesPerSecond: 1e9, burst: 1e9 };
let logs = openHostingLogs({ path: folder.path, rate });
const write = await measured(messages.length, async () => {
  const open = [];
  for (let at = 0; at < messages.length; at += BATCH) {
    if (open.length >= IN_FLIGHT) await open.shift();
    const lines = messages.slice(at, at + BATCH).map((message, n) => ({
      end: at + n + 1,
      resource: 'srv-a',
      type: 'app',
      instance: 'i-1',
      message,
    }));
    open.push(logs.append('spool', lines));
  }
  await Promise.all(open);
});
await logs.close();
const [day] = readdirSync(folder.path);
const bytes = statSync(`${folder.path}/${day}/data.mdb`).size / messages.length;
logs = openHostingLogs({ path: folder.path, rate });
const query = {
  resource: ['srv-a'],
  direction: 'backward',
  limit: 100,
  startTime: '2020-01-01T00:00:00Z',
  endTime: '2100-01-01T00:00:00Z',
};
const lastMs = await medianMs(async () => {
  const { logs: found } = await logs.query({ ...query, level: ['error'] });
  if (found.length !== 100) throw new Error(`${found.length} of 100 errors`);
}, 21);
const scan = await measured(messages.length, async () => {
  let next = { ...query, text: ['no such words'] };
  for (;;) {
    const page = await logs.query(next);
    if (!page.hasMore) return;
    next = { ...next, startTime: page.nextStartTime, endTime: page.nextEndTime };
  }
});
const valuesMs = await medianMs(() => logs.labelValues({ ...query, label: 'level' }), 5);
await logs.close();
folder.clear();
clearInterval(alive);
answer({ write, bytes, lastMs, scan, valuesMs });
