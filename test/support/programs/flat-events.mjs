// Many events of long-lived actors with bounded journals; says now and then what they cost.
//   node flat-events.mjs <dist> <store> <events> <every> <most milliseconds>
import { statSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { assign, setup } from 'xstate';

const [dist, path, ...numbers] = process.argv.slice(2);
const [events, every, mostMs] = numbers.map(Number);
const load = (name) => import(pathToFileURL(`${dist}/${name}`).href);
const { createEngine } = await load('runtime/engine/engine.js');
const { define } = await load('runtime/engine/define.js');
const { systemClock } = await load('runtime/timer/clock.js');
const { openEngineStore } = await load('store/engine/engine-store.js');

const ACTORS = 64;
/** Events of one actor on their way at once. */
const DEPTH = 8;
const machine = setup({
  actions: { count: assign({ n: ({ context }) => context.n + 1 }) },
}).createMachine({
  id: 'tick',
  context: { n: 0 },
  initial: 'on',
  states: { on: { on: { TICK: { actions: 'count' } } } },
});
const tick = define({ kind: 'tick', version: 1, machine, effects: {}, keep: { rows: 64 } });

const store = openEngineStore({ path });
const engine = await createEngine({ store, clock: systemClock(), definitions: [tick] });
const until = Date.now() + mostMs;
let done = 0;
let isOver = false;
await Promise.all(Array.from({ length: ACTORS }, (_, n) => run(`a/${n}`)));
await engine.close();
await store.close();

async function run(id) {
  await engine.create('tick', id);
  await Promise.all(Array.from({ length: DEPTH }, () => tell(id)));
}

async function tell(id) {
  while (!isOver) {
    await engine.tell(id, { type: 'TICK' });
    done += 1;
    if (done % every === 0) say();
    if (done >= events || Date.now() > until) isOver = true;
  }
}

function say() {
  globalThis.gc?.();
  const { rss, heapUsed } = process.memoryUsage();
  const { size } = statSync(`${path}/data.mdb`);
  process.stdout.write(`${JSON.stringify({ events: done, rss, heapUsed, size })}\n`);
}
