// Councils of eleven models that answer at once, with everything of production but the model call.
// RUNS, WARM

import { answer, measureRuns } from '../lib/cpu.mjs';
import { fromDist } from '../lib/dist.mjs';
import { scratch } from '../lib/output.mjs';
import { councilRequest, runOf } from '../quality/cases.mjs';
import { chanceOf } from '../quality/chance.mjs';
import { modelsInProcess } from '../quality/wire.mjs';

const { RUNS = '20', WARM = '5' } = process.env;
/** Opinion, question, answer and vote of eleven seats. */
const TURNS = 44;
const SEATS = 11;
const COUNCIL_MS_MAX = 30_000;

const { createEngine } = await fromDist('runtime/engine/engine.js');
const { systemClock } = await fromDist('runtime/timer/clock.js');
const { openEngineStore } = await fromDist('store/engine/engine-store.js');
const { openBlobStore } = await fromDist('store/common/blob-store.js');
const { definePanels } = await fromDist('actors/panel/panels.js');
const { prepareCouncil } = await fromDist('actors/council/council-order.js');
const { CouncilRequest } = await fromDist('domain/council/request.js');
const { ROLE_NAMES } = await fromDist('domain/council/roles.js');

const folder = scratch(`council-${process.pid}`);
const store = openEngineStore({ path: `${folder.path}/actors` });
const blobs = openBlobStore({ path: `${folder.path}/texts` });
const clock = systemClock();
const llm = modelsInProcess(instantScript());
const engine = await createEngine({ store, clock, definitions: definePanels({ llm, blobs }) });
const chance = chanceOf('cost');
const random = { bytes: (length) => chance.bytes(length, 'panel') };
const run = runOf(chance, 1, { kind: 'council', seats: SEATS, roles: ROLE_NAMES });
const request = CouncilRequest.parse(councilRequest(run));

let councils = 0;
const result = await measureRuns(council, { warm: Number(WARM), runs: Number(RUNS) });
answer({ ...result, turns: TURNS });
await engine.close();
await store.close();
// Stores of texts end with the process.
process.exit(0);

async function council() {
  councils += 1;
  const jobId = `job-${councils}`;
  const { kind, input } = await prepareCouncil({ llm, blobs, random, clock }, request, '4000000');
  await engine.create(kind, jobId, { ...input, jobId });
  const isOver = ({ status }) => status !== 'active';
  const view = await engine.waitFor(jobId, isOver, { timeoutMs: COUNCIL_MS_MAX });
  if (view.value !== 'decided' || view.context.turns.length !== TURNS) {
    throw new Error(`${JSON.stringify(view.value)} after ${view.context.turns.length} turns`);
  }
}

/** Answers by the phase that the schema names; every role asks the next one. */
function instantScript() {
  const text = 'The figures that code gives bear it, and nothing else in the brief speaks against.';
  const common = { argument: text, confidence: 0.7 };
  const usage = { input: 1_200, output: 180 };
  return ({ model, prompt }) => ({ answer: answerTo(model, prompt, { text, common }), usage });
}

function answerTo(model, prompt, { text, common }) {
  const seat = Number(/-(\d+)$/.exec(model)[1]);
  if (prompt.includes('\nYour opinion.')) {
    const conditions = [
      { text: `Review ${ROLE_NAMES[seat]}`, owner: ROLE_NAMES[seat], due_days: 30 },
    ];
    const lists = { evidenceIds: ['e1'], conditions, red_lines: [], gaps: [] };
    return { position: 'approve', ...common, ...lists };
  }
  if (prompt.includes('\nCross-examination.')) {
    return { questions: [{ to: ROLE_NAMES[(seat + 1) % SEATS], text }] };
  }
  if (prompt.includes('\nAnswer your questions')) {
    const ids = [...prompt.matchAll(/kind="question_to_you" id="([^"]+)"/g)].map(([, id]) => id);
    return { answers: ids.map((question_id) => ({ question_id, text, evidenceIds: ['e1'] })) };
  }
  return { ranking: ['approve', 'approve_with_conditions', 'defer', 'reject'], ...common };
}
