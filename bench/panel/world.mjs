// Engine, texts and debate kind over models that take their time, on disk as in production.
import { TURNS } from '../lib/debate.mjs';
import { fromDist } from '../lib/dist.mjs';
import { scratch } from '../lib/output.mjs';
import { BRIEF, debateInput } from './input.mjs';
import { slowModels } from './slow-models.mjs';

const DEBATE_MS_MAX = 120_000;

/** Opens an engine that debates; `debate` runs one and checks its result. */
export async function openPanels(times) {
  const { createEngine } = await fromDist('runtime/engine/engine.js');
  const { systemClock } = await fromDist('runtime/timer/clock.js');
  const { openEngineStore } = await fromDist('store/engine/engine-store.js');
  const { openBlobStore } = await fromDist('store/common/blob-store.js');
  const { definePanels } = await fromDist('actors/panel/panels.js');
  const folder = scratch(`panels-${process.pid}`);
  const store = openEngineStore({ path: `${folder.path}/actors` });
  const blobs = openBlobStore({ path: `${folder.path}/texts` });
  const briefSha = await blobs.put(JSON.stringify(BRIEF));
  const definitions = definePanels({ llm: slowModels(times), blobs });
  const engine = await createEngine({ store, clock: systemClock(), definitions });
  const isOver = ({ status }) => status !== 'active';
  return {
    debate: async (jobId) => {
      await engine.create('debate', jobId, debateInput(jobId, briefSha));
      const view = await engine.waitFor(jobId, isOver, { timeoutMs: DEBATE_MS_MAX });
      if (view.value !== 'decided' || view.context.turns.length !== TURNS) {
        throw new Error(`${JSON.stringify(view.value)} after ${view.context.turns.length} turns`);
      }
    },
    close: async () => {
      await engine.close();
      await store.close();
    },
  };
}
