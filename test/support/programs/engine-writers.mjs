// Closed-loop writers on an engine, until the process is killed. Says every acknowledged event.
//   node engine-writers.mjs <dist> <store> <life> [compact]
import { pathToFileURL } from 'node:url';
import { assign, fromPromise, setup } from 'xstate';

const [dist, path, life, compact] = process.argv.slice(2);
const load = (name) => import(pathToFileURL(`${dist}/${name}`).href);
const { createEngine } = await load('runtime/engine/engine.js');
const { define } = await load('runtime/engine/define.js');
const { systemClock } = await load('runtime/timer/clock.js');
const { openEngineStore } = await load('store/engine/engine-store.js');

const WRITERS = 32;
// Each actor flips between two states; one holds a timer, the other runs an effect for ever.
const machine = setup({
  actors: { wait: fromPromise(() => new Promise(() => undefined)) },
  actions: { count: assign({ n: ({ context }) => context.n + 1 }) },
}).createMachine({
  id: 'flip',
  context: { n: 0 },
  initial: 'timed',
  states: {
    timed: {
      after: { 86400000: 'working' },
      on: { FLIP: { target: 'working', actions: 'count' } },
    },
    working: {
      invoke: { id: 'wait', src: 'wait' },
      on: { FLIP: { target: 'timed', actions: 'count' } },
    },
  },
});
const wait = { run: () => new Promise(() => undefined), attempts: 1_000_000 };
const flip = define({ kind: 'flip', version: 1, machine, effects: { wait } });

const store = openEngineStore({ path });
const engine = await createEngine({ store, clock: systemClock(), definitions: [flip] });
const said = [];
for (let writer = 0; writer < WRITERS; writer += 1) write(`a/${writer}`).catch(fail);
if (compact !== undefined) rewrite().catch(fail);
process.stdout.write('ready\n');
// A wait of the system clock alone would let the process end.
setInterval(() => undefined, 1_000);

async function write(id) {
  await engine.create('flip', id);
  for (let n = 0; ; n += 1) {
    const { seq } = await engine.tell(id, { type: 'FLIP', life, n });
    say(`${id} ${seq} ${life}:${n}\n`);
  }
}

async function rewrite() {
  for (;;) await store.compact({ force: true });
}

// Lines are handed to the pipe whole; a killed process loses those that were not, never half of one.
function say(line) {
  said.push(line);
  if (said.length === 1) {
    queueMicrotask(() => process.stdout.write(said.splice(0).join('')));
  }
}

function fail(error) {
  process.stderr.write(`${error.stack}\n`);
  process.exit(1);
}
