// Where the time goes: runs a script of the bench under the profiler, or reads a profile.
//   node bench/profile.mjs bench/panel/stoa.mjs
//   node bench/profile.mjs some.cpuprofile
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { say } from './lib/output.mjs';
import { runScript } from './lib/proc.mjs';
import { table } from './lib/stats.mjs';

const SCRIPT_MS_MAX = 120_000;
const ROWS = 30;

const [target] = process.argv.slice(2);
const profile = target.endsWith('.cpuprofile') ? read(target) : await record(target);
report(selfTimes(profile));

async function record(script) {
  const folder = mkdtempSync(join(tmpdir(), 'stoa-profile-'));
  const nodeOptions = ['--cpu-prof', '--cpu-prof-interval=250', `--cpu-prof-dir=${folder}`];
  try {
    await runScript({ name: script, script, nodeOptions, msMax: SCRIPT_MS_MAX });
    return read(join(folder, readdirSync(folder)[0]));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function read(file) {
  return JSON.parse(readFileSync(file, 'utf8'));
}

/** Microseconds that each function itself was on the processor, idle time left out. */
function selfTimes({ nodes, samples, timeDeltas }) {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const byFunction = new Map();
  const byFile = new Map();
  samples.forEach((id, at) => {
    const { functionName, url, lineNumber } = byId.get(id).callFrame;
    if (functionName === '(idle)') return;
    const file = url === '' ? functionName : shortName(url);
    const name = url === '' ? functionName : `${functionName} ${file}:${lineNumber + 1}`;
    const us = Math.max(0, timeDeltas[at]);
    byFunction.set(name, (byFunction.get(name) ?? 0) + us);
    byFile.set(file, (byFile.get(file) ?? 0) + us);
  });
  return { byFunction, byFile };
}

function shortName(url) {
  const parts = url.split('/');
  const from = parts.lastIndexOf('node_modules');
  return (from < 0 ? parts.slice(-3) : parts.slice(from + 1)).join('/');
}

function report({ byFunction, byFile }) {
  for (const [title, times] of Object.entries({ file: byFile, function: byFunction })) {
    const total = [...times.values()].reduce((sum, us) => sum + us, 0);
    const rows = [...times].sort(([, left], [, right]) => right - left).slice(0, ROWS);
    say(
      table(
        ['share', title],
        rows.map(([name, us]) => [`${((us / total) * 100).toFixed(1)} %`, name]),
      ),
    );
  }
}
