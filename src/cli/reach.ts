import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { AppError } from '../domain/error.ts';
import { isAnswered, localAddress } from '../process/data-lock.ts';
import { openToken } from '../process/token-file.ts';
import { spawn } from '../system/child.ts';

/** How long a daemon may take from its start until its local socket answers, in milliseconds. */
const START_TIMEOUT_MS = 60_000;
const POLL_MS = 50;

/**
 * Finds the daemon of a data directory and starts one if none answers. A daemon started here ends
 * itself when its last local client is gone and nothing is due.
 */
export async function reachDaemon(dataDir: string): Promise<{ address: string; token: string }> {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const address = localAddress(dataDir);
  if (!(await isAnswered(address))) {
    startDaemon(dataDir);
    await waitFor(address);
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

async function waitFor(address: string): Promise<void> {
  const end = Date.now() + START_TIMEOUT_MS;
  while (Date.now() < end) {
    if (await isAnswered(address)) return;
    await new Promise((done) => setTimeout(done, POLL_MS));
  }
  throw new AppError('INTERNAL', { message: 'The daemon did not start in time.' });
}
