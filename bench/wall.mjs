// How long a panel takes, against its slowest chain of seats: the sum over its phases of the slowest
// seat's answer. What is above that is ours.
//   node bench/wall.mjs [--rounds 3] [--runs 5] [--latencies 100-400,20-80]
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { openRows, say } from './lib/output.mjs';
import { runScript } from './lib/proc.mjs';
import { fixed, groupBy, median, spreadPercent, table } from './lib/stats.mjs';

const script = fileURLToPath(new URL('./panel/wall-one.mjs', import.meta.url));
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    runs: { type: 'string', default: '5' },
    latencies: { type: 'string', default: '500-1500,100-400,20-80' },
  },
});

const { rows, add } = openRows('wall');
for (let round = 0; round < Number(values.rounds); round += 1) {
  for (const latencies of values.latencies.split(',')) {
    const [LEAST, MOST] = latencies.split('-');
    const env = { LEAST, MOST, RUNS: values.runs };
    const { chainMs, walls } = await runScript({ name: 'wall', script, env, msMax: 120_000 });
    for (const wallMs of walls) add({ round, latencies, chainMs, wallMs });
    say(`${round} ${latencies}: chain ${chainMs} ms, wall ${fixed(median(walls), 0)} ms`);
  }
}

say('\n### wall time of a panel: 11 seats, opening, two rebuttals, vote\n');
const lines = [...groupBy(rows, (row) => row.latencies)].map(([latencies, of]) => {
  const walls = of.map((row) => row.wallMs);
  const [{ chainMs }] = of;
  return [
    `${latencies} ms`,
    chainMs,
    fixed(median(walls), 0),
    `${spreadPercent(walls)} %`,
    fixed(median(walls) - chainMs, 1),
    fixed(median(walls) / chainMs, 3),
  ];
});
say(table(['a call takes', 'slowest chain ms', 'wall ms', 'spread', 'above ms', 'ratio'], lines));
