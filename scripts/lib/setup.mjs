// Brings the checkout to a state in which it runs: packages and build, only when they are due.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { CHECKOUT, installFault, isBuildDue, lockFault, nodeFault } from './checkout.mjs';

const WORKER = join(CHECKOUT, 'scripts', 'lib', 'setup-worker.mjs');

/**
 * Installs and builds what is due, with each step and its output on standard error. A step counts
 * as done when it was finished and checked; one that was interrupted is done again from its begin.
 * The steps run in a process group that ends with this process, however this one ends.
 *
 * @param leaving - Ends the set-up; nothing of it runs when the promise resolves.
 * @returns What is wrong, or nothing.
 */
export async function setUp(leaving = new AbortController().signal) {
  const fault = nodeFault() ?? lockFault();
  if (fault !== undefined) return fault;
  if (installFault() === undefined && !isBuildDue()) return undefined;
  return work(leaving);
}

function work(leaving) {
  const worker = spawn(process.execPath, [WORKER], {
    cwd: CHECKOUT,
    // Standard output belongs to the program: under --json it holds the ready line alone.
    stdio: ['ignore', 2, 2, 'ipc'],
    detached: process.platform !== 'win32',
  });
  const end = () => worker.connected && worker.disconnect();
  if (leaving.aborted) end();
  else leaving.addEventListener('abort', end, { once: true });
  let verdict = { fault: 'The set-up was ended. The next start completes it.' };
  worker.on('message', (message) => {
    verdict = message;
  });
  return new Promise((done) => {
    worker.on('error', (cause) => done(cause.message));
    // Its last message may come after its end, but not after the end of the channel.
    const ends = ['exit', 'disconnect'].map((name) => new Promise((is) => worker.once(name, is)));
    void Promise.all(ends).then(() => {
      leaving.removeEventListener('abort', end);
      endGroup(worker);
      done(verdict.fault);
    });
  });
}

/** Ends what a worker left behind that was ended itself. */
function endGroup({ pid }) {
  if (process.platform === 'win32') return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // Nothing of the group is left.
  }
}
