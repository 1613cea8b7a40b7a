// Closed-loop writers on an engine, a store of texts and one of sessions, until a number of events is acknowledged.
// What it was promised goes to a file in whole lines, each with one write.
//   node disk-writers.mjs <dist> <folder> <promises> <events> [compact]
import { openSync, writeSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { assign, fromPromise, setup } from 'xstate';

const [dist, folder, promises, events, compact] = process.argv.slice(2);
const load = (name) => import(pathToFileURL(`${dist}/${name}`).href);
const { createEngine } = await load('runtime/engine/engine.js');
const { define } = await load('runtime/engine/define.js');
const { systemClock } = await load('runtime/timer/clock.js');
const { openEngineStore } = await load('store/engine/engine-store.js');
const { openBlobStore } = await load('store/common/blob-store.js');
const { openMcpState } = await load('store/session/mcp-state.js');

const WRITERS = 32;
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
const store = openEngineStore({ path: `${folder}/actors` });
const blobs = openBlobStore({ path: `${folder}/blobs` });
const engine = await createEngine({ store, clock: systemClock(), definitions: [flip] });
let left = Number(events);
const work = Array.from({ length: WRITERS }, (_, writer) => write(`a/${writer}`));
if (compact !== undefined) work.push(rewrite());
await Promise.all([...work, writeTexts(), writeSessions()]);
// The rest of the record is not worth an orderly end.
process.exit(0);

async function write(id) {
  await engine.create('flip', id);
  for (let n = 0; left > 0; n += 1) {
    const { seq } = await engine.tell(id, { type: 'FLIP', life: 0, n });
    left -= 1;
    writeSync(file, `${id} ${seq} 0:${n}\n`);
  }
}

async function writeTexts() {
  for (let n = 0; left > 0; n += 1) {
    const text = `text ${n} `.repeat(50 + (n % 7) * 200);
    const hash = await blobs.put(text);
    writeSync(file, `blob ${hash} ${n}\n`);
  }
}

// Sessions are on the disk when their state is closed, not before.
async function writeSessions() {
  for (let n = 0; left > 0; n += 1) {
    const state = openMcpState({ path: `${folder}/mcp` });
    const sessionId = `s${n}`;
    state.sessions.put({ sessionId, lastSeenAt: n });
    state.events.append(sessionId, 'x', '{}');
    await state.close();
    writeSync(file, `mcp ${sessionId} ${n}\n`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function rewrite() {
  while (left > 0) await store.compact({ force: true });
}
