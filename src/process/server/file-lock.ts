import { realpathSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../../domain/common/error.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import { kernelName } from '../../store/common/folder-lock.ts';
import { isInUse, isListening, listen } from './data-lock.ts';

/** Longest wait for a lock, in milliseconds. Its holder only reads and writes a small file. */
const WAIT_MS_MAX = 30 * SECOND_MS;
const PAUSE_MS = 5;

/**
 * Runs a function while no other process holds the same lock. The kernel releases the lock of a
 * process that exits. On systems without such names, a socket file beside the file is the lock.
 *
 * @throws {AppError} `OVERLOADED` when the lock is not free within 30 s
 */
export async function withLock<Result>(path: string, act: () => Result): Promise<Result> {
  const real = join(realpathSync(dirname(path)), basename(path));
  const server = await acquireLock(real, kernelName(`lock ${real}`));
  try {
    return act();
  } finally {
    await new Promise((done) => server.close(done));
  }
}

async function acquireLock(path: string, name: string | undefined): Promise<Server> {
  const address = name ?? `${path}.lock`;
  for (let waitedMs = 0; waitedMs < WAIT_MS_MAX; waitedMs += PAUSE_MS) {
    const server = createServer((socket) => socket.destroy());
    try {
      await listen(server, address);
      return server;
    } catch (cause) {
      if (!isInUse(cause)) throw cause;
    }
    if (name === undefined && !(await isListening(address))) rmSync(address, { force: true });
    await sleep(PAUSE_MS);
  }
  throw new AppError('OVERLOADED', { message: `Another process holds the lock on ${path}.` });
}
