// Our front with the tools of the bench, and PANELS debates in the same process, again and again.
// A call of a model takes LEAST to MOST milliseconds.
import { sleep } from './lib/proc.mjs';
import { openPanels } from './panel/world.mjs';

await import('./stoa-server.mjs');
const { PANELS = '0', LEAST = '1000', MOST = '4000' } = process.env;
const panels = Number(PANELS);
const least = Number(LEAST);
const most = Number(MOST);

if (panels > 0) {
  const world = await openPanels({ least, most, seed: 'busy' });
  for (let at = 0; at < panels; at += 1) keepDebating(world, at).catch(fail);
}

async function keepDebating(world, at) {
  // They do not march in step.
  await sleep((at / panels) * most);
  for (let n = 0; ; n += 1) await world.debate(`panel-${at}-${n}`);
}

function fail(error) {
  process.stderr.write(`${error.stack}\n`);
  process.exit(1);
}
