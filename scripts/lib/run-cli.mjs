// Runs one command of the built program for a person: sets up first, passes signals on and gives
// the exit code back.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { join } from 'node:path';
import { CHECKOUT } from './checkout.mjs';
import { setUp } from './setup.mjs';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** Runs `stoa <command>` with this process's own arguments behind it. */
export function runCli(command) {
  // Standard output belongs to the program: under --json it holds the ready line and nothing else.
  const fault = setUp((line) => process.stderr.write(`${line}\n`));
  if (fault === undefined) run(command);
  else {
    process.stderr.write(`${fault}\n`);
    process.exitCode = 1;
  }
}

function run(command) {
  const words = [join(CHECKOUT, 'dist', 'cli.js'), command, ...process.argv.slice(2)];
  const child = spawn(process.execPath, words, { stdio: 'inherit' });
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
