import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { AppError } from '../domain/error.ts';
import { isAnswered, localAddress } from '../process/data-lock.ts';
import { clearRefusal, readRefusal } from '../process/refused-start.ts';
import { openToken } from '../process/token-file.ts';

/** How long a daemon may take from its start until its local socket answers, in milliseconds. */
const START_TIMEOUT_MS = 60_000;
const POLL_MS = 50;

/** How a daemon is reached. */
export interface ReachedDaemon {
  readonly address: string;
  readonly token: string;
}

/**
 * Makes what finds the daemon of a data directory and starts one if none answers. A daemon started
 * here ends itself when its last local client is gone and nothing is due.
 *
 * @returns Throws `CONFIG_INVALID` when the daemon did not start because of its configuration.
 */
export function daemonOf(dataDir: string): () => Promise<ReachedDaemon> {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  clearRefusal(dataDir);
  return () => reachDaemon(dataDir);
}

async function reachDaemon(dataDir: string): Promise<ReachedDaemon> {
  throwRefusal(dataDir);
  const address = localAddress(dataDir);
  if (!(await isAnswered(address))) {
    startDaemon(dataDir);
    await waitFor(dataDir, address);
  }
  return { address, token: openToken(dataDir).token };
}

function startDaemon(dataDir: string): void {
  const cli = fileURLToPath(new URL('../cli.js', import.meta.url));
  const child = spawn(
    process.execPath,
    [cli, 'serve', '--until-idle', '--port', '0', '--json', '--data', dataDir],
    { detached: true, stdio: 'ignore' },
  );
  child.unref();
}

async function waitFor(dataDir: string, address: string): Promise<void> {
  const end = Date.now() + START_TIMEOUT_MS;
  while (Date.now() < end) {
    if (await isAnswered(address)) return;
    throwRefusal(dataDir);
    await new Promise((done) => setTimeout(done, POLL_MS));
  }
  throw new AppError('INTERNAL', { message: 'The daemon did not start in time.' });
}

/** Only what a repeat cannot mend is final: a directory that is busy just now is not. */
function throwRefusal(dataDir: string): void {
  const refusal = readRefusal(dataDir);
  if (refusal?.code === 'CONFIG_INVALID') throw refusal;
}
