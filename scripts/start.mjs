// `npm start`: sets up this checkout, then serves. Arguments go on to `stoa serve`.
// Changes nothing outside the checkout and the data directory.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { join } from 'node:path';
import { CHECKOUT } from './lib/checkout.mjs';
import { setUp } from './lib/setup.mjs';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

// Standard output belongs to the server: under --json it holds the ready line and nothing else.
const fault = setUp((line) => process.stderr.write(`${line}\n`));
if (fault === undefined) serve();
else {
  process.stderr.write(`${fault}\n`);
  process.exitCode = 1;
}

function serve() {
  const command = [join(CHECKOUT, 'dist', 'cli.js'), 'serve', ...process.argv.slice(2)];
  const child = spawn(process.execPath, command, { stdio: 'inherit' });
  for (const signal of SIGNALS) process.on(signal, () => pass(signal, child));
  child.on('error', (cause) => {
    process.stderr.write(`${cause.message}\n`);
    process.exitCode = 1;
  });
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? 128 + constants.signals[signal];
    for (const name of SIGNALS) process.removeAllListeners(name);
  });
}

// A terminal gives Ctrl-C to the whole group: the server has it already, and twice means "at once".
function pass(signal, child) {
  if (signal !== 'SIGINT' || process.stdin.isTTY !== true) child.kill(signal);
}
