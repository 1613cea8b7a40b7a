// Closed-loop writers on an engine whose disk fails. What they were promised goes to a file; what
// they were refused, and whether reads go on, is said in one line at the end.
//   node disk-faults.mjs <dist> <store> <promises> <reserveBytes> [filler]
// With a filler, that file is removed after the first refusals, and the writers go on.
import { openSync, rmSync, writeSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { assign, fromPromise, setup } from 'xstate';

const [dist, path, promises, reserveBytes, filler] = process.argv.slice(2);
const load = (name) => import(pathToFileURL(`${dist}/${name}`).href);
const { createEngine } = await load('runtime/engine/engine.js');
const { define } = await load('runtime/engine/define.js');
const { systemClock } = await load('runtime/timer/clock.js');
const { openEngineStore } = await load('store/engine/engine-store.js');

const WRITERS = 32;
const EVENTS_MAX = 20_000;
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

const file = openSync(promises, 'w');
const refused = new Set();
const fatal = [];
let left = EVENTS_MAX;
let answer;
try {
  const store = openEngineStore({ path, reserveBytes: Number(reserveBytes) });
  const engine = await createEngine({
    store,
    clock: systemClock(),
    definitions: [flip],
    onFatal: (error) => fatal.push(error.code),
  });
  await writeAll(engine);
  answer = { refused: [...refused], fatal, events: EVENTS_MAX - left, ...(await reads(engine)) };
  if (filler !== undefined) {
    rmSync(filler);
    // The answer of the file system is believed for a second.
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    answer.after = (await engine.tell('a/0', { type: 'FLIP' })).status;
  }
} catch (error) {
  answer = { thrown: error.code ?? error.stack };
}
process.stdout.write(`${JSON.stringify(answer)}\n`);
process.exit(0);

async function writeAll(engine) {
  await Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(engine, `a/${writer}`)));
}

async function write(engine, id) {
  try {
    await engine.create('flip', id);
    // Three at once: a commit that fails has others behind it.
    for (let n = 0; left > 0; n += 3) {
      await Promise.all([n, n + 1, n + 2].map((each) => tell(engine, id, each)));
    }
  } catch (error) {
    refused.add(error.code);
  }
}

async function tell(engine, id, n) {
  const { seq } = await engine.tell(id, { type: 'FLIP', life: 0, n, text: 'x'.repeat(300) });
  left -= 1;
  writeSync(file, `${id} ${seq} 0:${n}\n`);
}

async function reads(engine) {
  const later = await engine.tell('a/0', { type: 'FLIP' }).catch(({ code }) => code);
  const { rows } = await engine.list({});
  let viewed = 0;
  let journaled = 0;
  for (const { id } of rows) {
    viewed += (await engine.view(id)).seq > 0 ? 1 : 0;
    for await (const { seq } of engine.journal(id, 1, 3)) journaled += seq > 0 ? 1 : 0;
  }
  return { later, listed: rows.length, viewed, journaled };
}
