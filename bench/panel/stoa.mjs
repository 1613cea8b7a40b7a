// The debate on our engine. EFFECTS=instant: turns are given as records, as in the peers.
// EFFECTS=whole: everything of production but the model call itself. STORE=lmdb|memory
import { answer, measureRuns } from '../lib/cpu.mjs';
import { instantTurn, TURNS } from '../lib/debate.mjs';
import { fromDist } from '../lib/dist.mjs';
import { scratch } from '../lib/output.mjs';
import { BRIEF, debateInput } from './input.mjs';
import { instantModels } from './models.mjs';

const { RUNS = '20', WARM = '5', EFFECTS = 'instant', STORE = 'lmdb' } = process.env;
const DEBATE_MS_MAX = 10_000;

const { createEngine } = await fromDist('runtime/engine/engine.js');
const { systemClock } = await fromDist('runtime/timer/clock.js');
const folder = scratch(`stoa-panel-${process.pid}`);
const store = await openStore();
const debateKind = EFFECTS === 'whole' ? await wholeDebate() : await instantDebate();
const engine = await createEngine({
  store,
  clock: systemClock(),
  definitions: [debateKind.definition],
});

let debates = 0;
const result = await measureRuns(debate, { warm: Number(WARM), runs: Number(RUNS) });
await engine.close();
await store.close();
answer(result);
// Stores of texts end with the process.
process.exit(0);

async function debate() {
  debates += 1;
  const jobId = `job-${debates}`;
  await engine.create('debate', jobId, debateInput(jobId, debateKind.briefSha));
  const isOver = ({ status }) => status !== 'active';
  const view = await engine.waitFor(jobId, isOver, { timeoutMs: DEBATE_MS_MAX });
  if (view.value !== 'decided' || view.context.turns.length !== TURNS) {
    throw new Error(`${JSON.stringify(view.value)} after ${view.context.turns.length} turns`);
  }
}

async function openStore() {
  if (STORE === 'memory') return (await fromDist('runtime/store/memory-store.js')).memoryStore();
  const { openEngineStore } = await fromDist('store/engine/engine-store.js');
  return openEngineStore({ path: `${folder.path}/actors` });
}

/** The real machine; a turn is a record, sealing gives hashes. */
async function instantDebate() {
  const { define } = await fromDist('runtime/engine/define.js');
  const { findPanelMachine } = await fromDist('machines/panel/panels.js');
  const { version } = (await fromDist('domain/debate/panel.js')).debatePanel;
  const sha = 'c'.repeat(64);
  const sealed = { transcriptSha: sha, resultSha: sha, transcriptRoot: sha };
  const effects = {
    turn: { run: async (order) => instantTurn(order) },
    seal: { run: async () => sealed },
  };
  const machine = findPanelMachine('debate');
  return { definition: define({ kind: 'debate', version, machine, effects }) };
}

/** The real effects over a store of texts on disk; models answer at once. */
async function wholeDebate() {
  const { definePanels } = await fromDist('actors/panel/panels.js');
  const { openBlobStore } = await fromDist('store/common/blob-store.js');
  const blobs = openBlobStore({ path: `${folder.path}/texts` });
  const briefSha = await blobs.put(JSON.stringify(BRIEF));
  return { definition: definePanels({ llm: instantModels(), blobs })[0], briefSha };
}
