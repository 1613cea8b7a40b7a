// The debate on our engine. EFFECTS=instant: turns are given as records, as in the peers.
// EFFECTS=whole: everything of production but the model call itself. STORE=lmdb|memory
import { createHash } from 'node:crypto';
import { answer, measureRuns } from '../lib/cpu.mjs';
import { instantTurn, TURNS } from '../lib/debate.mjs';
import { fromDist } from '../lib/dist.mjs';
import { scratch } from '../lib/output.mjs';
import { BRIEF, debateInput } from './input.mjs';
import { instantModels } from './models.mjs';

const { RUNS = '20', WARM = '5', EFFECTS = 'instant', STORE = 'lmdb' } = process.env;
const DEBATE_MS_MAX = 10_000;

const { createEngine } = await fromDist('runtime/engine.js');
const { systemClock } = await fromDist('runtime/clock.js');
const folder = scratch(`stoa-panel-${process.pid}`);
const { store, blobs } = await openStores();
const engine = await createEngine({
  store,
  clock: systemClock(),
  definitions: [await (EFFECTS === 'whole' ? wholeDebate() : instantDebate())],
});
const briefSha = await blobs.put(JSON.stringify(BRIEF));

let debates = 0;
const result = await measureRuns(debate, { warm: Number(WARM), runs: Number(RUNS) });
await engine.close();
await store.close();
folder.clear();
answer(result);

async function debate() {
  debates += 1;
  const jobId = `job-${debates}`;
  await engine.create('debate', jobId, debateInput(jobId, briefSha));
  const isOver = ({ status }) => status !== 'active';
  const view = await engine.waitFor(jobId, isOver, { timeoutMs: DEBATE_MS_MAX });
  if (view.value !== 'decided' || view.context.turns.length !== TURNS) {
    throw new Error(`${JSON.stringify(view.value)} after ${view.context.turns.length} turns`);
  }
}

async function openStores() {
  if (STORE === 'memory') {
    const { memoryStore } = await fromDist('runtime/memory-store.js');
    return { store: memoryStore(), blobs: memoryBlobs() };
  }
  const { openEngineStore } = await fromDist('store/engine-store.js');
  const { openBlobStore } = await fromDist('store/blob-store.js');
  const path = (name) => `${folder.path}/${name}`;
  return {
    store: await openEngineStore({ path: path('actors') }),
    blobs: await openBlobStore({ path: path('blobs') }),
  };
}

/** The real machine; a turn is a record, sealing gives hashes. */
async function instantDebate() {
  const { define } = await fromDist('runtime/define.js');
  const { debateMachine, version } = await fromDist('machines/debate.js');
  const sha = 'c'.repeat(64);
  const sealed = { transcriptSha: sha, resultSha: sha, transcriptRoot: sha };
  return define({
    kind: 'debate',
    version,
    machine: debateMachine,
    effects: {
      turn: { run: async (order) => instantTurn(order) },
      seal: { run: async () => sealed },
    },
  });
}

async function wholeDebate() {
  const { defineDebate } = await fromDist('actors/panels/debate.js');
  return defineDebate({ llm: instantModels(), blobs });
}

function memoryBlobs() {
  const texts = new Map();
  return {
    put: async (text) => {
      const sha = createHash('sha256').update(text).digest('hex');
      texts.set(sha, text);
      return sha;
    },
    get: (sha) => texts.get(sha),
  };
}
