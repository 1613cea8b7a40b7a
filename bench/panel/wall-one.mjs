// Debates one after the other with models that take their time. LEAST, MOST: milliseconds of a call.
// RUNS, WARM. Everything is as in production but the models.
import { answer } from '../lib/cpu.mjs';
import { slowestChain } from './slow-models.mjs';
import { openPanels } from './world.mjs';

const { RUNS = '5', WARM = '2', LEAST = '100', MOST = '400' } = process.env;
const times = { least: Number(LEAST), most: Number(MOST), seed: 'wall' };
const chainMs = slowestChain(times);
const panels = await openPanels(times);

const walls = [];
for (let run = 0; run < Number(WARM) + Number(RUNS); run += 1) {
  const began = performance.now();
  await panels.debate(`job-${run}`);
  if (run >= Number(WARM)) walls.push(performance.now() - began);
}
await panels.close();
answer({ chainMs, walls });
process.exit(0);
