// Runs one command of the built program for a person: sets up first, passes signals on and gives
// the exit code back.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { join } from 'node:path';
import { CHECKOUT } from './checkout.mjs';
import { setUp } from './setup.mjs';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];
/** How often we look whether npm, which started us, is still there. */
const PARENT_LOOK_MS = 500;

/**
 * Runs `stoa <command>` with this process's own arguments behind it. A signal, and the end of the
 * npm that started this process, ends what runs: the set-up at once, the program in order.
 */
export async function runCli(command) {
  // Who reads the output may go away; the program goes on.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  const leaving = new AbortController();
  let program;
  const hear = (signal) => {
    leaving.abort(signal);
    program?.kill(signal);
  };
  for (const signal of SIGNALS) process.on(signal, hear);
  const stopLooking = watchParent(() => hear('SIGTERM'));

  const fault = await setUp(leaving.signal);
  if (fault !== undefined) process.stderr.write(`${fault}\n`);
  if (leaving.signal.aborted) process.exitCode = codeOf(leaving.signal.reason);
  else if (fault !== undefined) process.exitCode = 1;
  else {
    program = start(command);
    process.exitCode = await ended(program);
  }
  stopLooking();
  for (const signal of SIGNALS) process.off(signal, hear);
}

// The channel tells the program that this process has gone, where no signal could be passed on.
function start(command) {
  const words = [join(CHECKOUT, 'dist', 'cli.js'), command, ...process.argv.slice(2)];
  return spawn(process.execPath, words, { stdio: ['inherit', 'inherit', 'inherit', 'ipc'] });
}

function ended(program) {
  return new Promise((done) => {
    program.on('error', (cause) => {
      process.stderr.write(`${cause.message}\n`);
      done(1);
    });
    program.on('exit', (code, signal) => done(code ?? codeOf(signal)));
  });
}

/** npm passes on SIGINT and SIGTERM alone. Ended otherwise, it would leave us behind. */
function watchParent(onGone) {
  if (process.env.npm_lifecycle_event === undefined) return () => undefined;
  const parent = process.ppid;
  const look = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(look);
    onGone();
  }, PARENT_LOOK_MS).unref();
  return () => clearInterval(look);
}

function codeOf(signal) {
  return 128 + constants.signals[signal];
}
