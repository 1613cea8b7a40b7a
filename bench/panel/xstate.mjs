// The debate machine in a live XState actor, nothing kept: what the machine itself costs.
import { createActor, fromPromise, waitFor } from 'xstate';
import { answer, measureRuns } from '../lib/cpu.mjs';
import { instantTurn, TURNS } from '../lib/debate.mjs';
import { fromDist } from '../lib/dist.mjs';
import { debateInput } from './input.mjs';

const { RUNS = '20', WARM = '5' } = process.env;
const { findPanelMachine } = await fromDist('machines/panel/panels.js');
const live = findPanelMachine('debate').provide({
  actors: {
    turn: fromPromise(async ({ input }) => instantTurn(input)),
    seal: fromPromise(async () => ({ transcriptSha: '', resultSha: '', transcriptRoot: '' })),
  },
});

let debates = 0;
answer(await measureRuns(debate, { warm: Number(WARM), runs: Number(RUNS) }));

async function debate() {
  debates += 1;
  const actor = createActor(live, { input: debateInput(`job-${debates}`) });
  actor.start();
  const { value, context } = await waitFor(actor, ({ status }) => status !== 'active');
  if (value !== 'decided' || context.turns.length !== TURNS) {
    throw new Error(`${value} after ${context.turns.length} turns`);
  }
}
