// Logs and metrics of services: lines written and found, samples written and read, against raw LMDB
// with one record a line and with compressed chunks.
//   node bench/hosting-logs.mjs [--rounds 3] [--lines 200000] [--days 30]
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { openRows, say } from './lib/output.mjs';
import { runScript } from './lib/proc.mjs';
import { fixed, median, roundRatio, spreadPercent, table } from './lib/stats.mjs';

const LEG_MS_MAX = 240_000;
const script = (path) => fileURLToPath(new URL(path, import.meta.url));
const LOGS = {
  row: { name: 'raw LMDB, a record a line', file: './hosting-logs/raw.mjs' },
  chunk: { name: 'raw LMDB, 256 lines, LZ4', file: './hosting-logs/raw.mjs' },
  stoa: { name: 'stoa, the logs', file: './hosting-logs/stoa.mjs' },
};
const METRICS = { raw: 'raw LMDB, a record a sample', stoa: 'stoa, the metrics' };

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    lines: { type: 'string', default: '200000' },
    days: { type: 'string', default: '30' },
  },
});
const { rows, add } = openRows('hosting-logs');
for (let round = 0; round < Number(values.rounds); round += 1) {
  for (const [peer, { file }] of Object.entries(LOGS)) {
    const env = { LINES: values.lines, LAYOUT: peer };
    const { write, scan, ...rest } = await run(peer, file, env);
    const cpu = { writeUs: write.cpuUs, writeWallUs: write.wallUs, scanUs: scan.cpuUs };
    add({ part: 'logs', round, peer, ...cpu, ...rest });
  }
  for (const peer of Object.keys(METRICS)) {
    const env = { PEER: peer, DAYS: values.days };
    const { write, ...rest } = await run(peer, './hosting-logs/metrics.mjs', env);
    add({ part: 'metrics', round, peer, writeUs: write.cpuUs, writeWallUs: write.wallUs, ...rest });
  }
}
report('logs', 'row', { row: LOGS.row.name, chunk: LOGS.chunk.name, stoa: LOGS.stoa.name });
report('metrics', 'raw', METRICS);

function run(name, file, env) {
  return runScript({ name, script: script(file), env, msMax: LEG_MS_MAX });
}

function report(part, base, names) {
  const own = rows.filter((row) => row.part === part);
  const baseRows = own.filter(({ peer }) => peer === base);
  const keys = Object.keys(own[0] ?? {}).filter((key) => /Us$|Ms$|^bytes$/.test(key));
  const lines = Object.entries(names).map(([peer, name]) => {
    const legs = own.filter((row) => row.peer === peer);
    const cells = [...new Set([...keys, ...(part === 'logs' ? ['valuesMs'] : [])])].map((key) => {
      const found = legs.map((row) => row[key]).filter((value) => value !== undefined);
      if (found.length === 0) return '-';
      const ratio = roundRatio(legs, baseRows, key);
      const to = Number.isNaN(ratio) ? '' : ` (${fixed(ratio, 2)})`;
      return `${fixed(median(found), 2)} ±${spreadPercent(found)} %${to}`;
    });
    return [name, ...cells];
  });
  const heads = [...new Set([...keys, ...(part === 'logs' ? ['valuesMs'] : [])])];
  say(`\n${part}, ratio to the first line in brackets\n\n${table(['peer', ...heads], lines)}`);
}
