// The reads of the log of proofs behind our front, on the build, over a log of RECORDS settlements.
// The first line tells some of them, spread evenly. The limit of reads for one address is counted as
// ever, by a clock that goes fast enough to give every read its token.
import { fromDist } from '../lib/dist.mjs';
import { scratch } from '../lib/output.mjs';
import { fill, openLog } from './log.mjs';

const { RECORDS = '10000', HTTP = 'uws' } = process.env;
/** Settlements that are told. */
const SAMPLES = 256;
/** Time that passes with each look at the clock: a token comes every 10 ms. */
const TICK_MS = 10;

const { createFront } = await fromDist('transport/front/front.js');
const { proofRoutes } = await fromDist('transport/proof/proof-routes.js');
const { MemoryEventLog, MemorySessionStore } = await fromDist(
  'transport/mcp/session/memory-state.js',
);
const { benchService } = await import('../lib/service.mjs');
const { systemClock } = await fromDist('runtime/timer/clock.js');
const { systemRandom } = await fromDist('process/server/system.js');

const folder = scratch(`proofs-read-${process.pid}`);
const { log, verifierKey } = await openLog(folder.path);
const settled = await fill(log, Number(RECORDS));
await log.checkpoint();

let now = Date.now();
const clock = {
  now: () => {
    now += TICK_MS;
    return now;
  },
  at: () => () => undefined,
};
const front = createFront({
  http: HTTP,
  clock: systemClock(),
  random: systemRandom,
  sessions: new MemorySessionStore(),
  events: new MemoryEventLog(),
  commerce: await benchService(),
  isOperatorToken: () => false,
  routes: proofRoutes({ log, verifierKey, clock, isComing: async () => false }),
});
const { baseUrl } = await front.listen('127.0.0.1', 0);
const samples = Array.from({ length: SAMPLES }, (_, at) => {
  const seq = Math.floor((at * settled.length) / SAMPLES);
  return { seq, digits: settled[seq] };
});
process.stdout.write(`${JSON.stringify({ url: baseUrl, size: log.size, samples })}\n`);

process.once('SIGTERM', async () => {
  await front.close();
  await log.close();
  folder.clear();
  process.exit(0);
});
