// Processor time that the listing costs unmodified official clients: `listTools` and a first call
// against `stoa serve` and against a bare server of the same SDK with one tool, each in a process of
// its own. Needs `npm run build` and `node bench/setup.mjs`.
//   node bench/client-cost.mjs [--rounds 5] [--versions sdk-1.10,client-2.4]
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { distFile } from './lib/dist.mjs';
import { openRows, say, scratch } from './lib/output.mjs';
import { runScript, startServer, stopChild } from './lib/proc.mjs';
import { fixed, groupBy, median, spreadPercent, table } from './lib/stats.mjs';

const FOLDER = fileURLToPath(new URL('./peers/official-clients/', import.meta.url));
const CLIENT_MS_MAX = 60_000;
/** What an official client may spend more than against a bare server, in milliseconds. */
const DIFFERENCE_MS_MAX = 60;
/** A free tool without arguments and outside sources. */
const FREE_TOOL = 'prediction_platform';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    versions: { type: 'string', default: 'sdk-1.10,sdk-1.17,sdk-1.32,client-2.4' },
  },
});
const versions = values.versions.split(',');
if (!existsSync(`${FOLDER}node_modules`)) {
  say('The clients are not installed. Run: node bench/setup.mjs');
  process.exit(2);
}

const { rows, add } = openRows('client-cost');
const stoa = await startStoa();
const bare = new Map();
try {
  for (const version of versions) bare.set(version, await startBare(version));
  for (let round = 0; round < Number(values.rounds); round += 1) {
    for (const version of versions) {
      await measure({ round, version, server: 'bare', url: bare.get(version).url, tool: 'echo' });
      await measure({ round, version, server: 'stoa', url: stoa.ready.mcp, tool: FREE_TOOL });
    }
  }
} finally {
  await Promise.all([stoa, ...bare.values()].map(({ child }) => stopChild(child)));
}
report();

function startStoa() {
  const args = ['serve', '--json', '--port', '0', '--data', scratch('client-cost').path];
  return startServer({ name: 'stoa', script: distFile('cli.js').pathname, args });
}

function startBare(version) {
  const script = `${FOLDER}bare.mjs`;
  return startServer({ name: version, script, env: { VERSION: version } });
}

async function measure({ round, version, server, url, tool }) {
  const env = { VERSION: version, URL: url, TOOL: tool };
  const script = `${FOLDER}client.mjs`;
  const seen = await runScript({ name: version, script, env, msMax: CLIENT_MS_MAX });
  if (!seen.isFine) throw new Error(`${version}: ${tool} of ${server} failed`);
  add({ round, version, server, ...seen });
  say(`${round} ${version} ${server}: ${fixed(seen.bothMs, 1)} ms`);
}

function report() {
  const head = ['client', 'tools', 'with output schema', 'list, ms', 'list and first call, ms'];
  const more = ['bare server, ms', 'difference, ms', 'spread', `at most ${DIFFERENCE_MS_MAX} ms`];
  const lines = [...groupBy(rows, (row) => row.version)].map(([version, of]) => {
    const [plain, ours] = ['bare', 'stoa'].map((name) =>
      of.filter(({ server }) => server === name),
    );
    const differences = ours.map(({ bothMs }, round) => bothMs - plain[round].bothMs);
    const difference = median(differences);
    if (difference > DIFFERENCE_MS_MAX) process.exitCode = 1;
    return [
      version,
      ours[0].tools,
      ours[0].schemas,
      fixed(median(ours.map(({ listMs }) => listMs)), 1),
      fixed(median(ours.map(({ bothMs }) => bothMs)), 1),
      fixed(median(plain.map(({ bothMs }) => bothMs)), 1),
      fixed(difference, 1),
      `${spreadPercent(differences)} %`,
      difference > DIFFERENCE_MS_MAX ? 'no' : 'yes',
    ];
  });
  say(table([...head, ...more], lines));
}
