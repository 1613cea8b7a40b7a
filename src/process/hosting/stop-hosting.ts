import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { removeRules } from '../../providers/hosting/local/network/firewall.ts';
import { Runner } from '../../providers/hosting/local/run/runner.ts';
import { detectCgroups } from '../../providers/sandbox/cgroups.ts';
import { systemClock } from '../../runtime/timer/clock.ts';
import { lockDataDir } from '../server/data-lock.ts';
import { controlPath } from './hosting-router.ts';
import { hostingFolders } from './own-hosting.ts';
import { RouterClient } from './router-client.ts';

/** The result of a stop. */
export interface StoppedHosting {
  readonly programs: number;
  /** Whether a router was running. */
  readonly router: boolean;
}

/**
 * Stops everything that hosting runs in a data directory whose server is down: programs, builds,
 * runs and the router. The next server start restores it, as after a reboot.
 *
 * @throws {AppError} `DATA_DIR_BUSY` while a server runs there.
 */
export async function stopHosting(dataDir: string): Promise<StoppedHosting> {
  const lock = await lockDataDir(dataDir);
  try {
    const { router, runs } = hostingFolders(dataDir);
    const isRouter = existsSync(router) && (await stopRouter(router));
    if (!existsSync(runs)) return { router: isRouter, programs: 0 };
    const programs = await stopPrograms(runs);
    // No program remains that these rules would restrict.
    removeRules(dirname(runs));
    return { router: isRouter, programs };
  } finally {
    await lock.release();
  }
}

async function stopRouter(folder: string): Promise<boolean> {
  const client = await RouterClient.connect(controlPath(folder));
  if (client === undefined) return false;
  await client.send({ do: 'stop' });
  await client.closed;
  return true;
}

async function stopPrograms(runs: string): Promise<number> {
  const clock = systemClock();
  const cgroups = detectCgroups();
  const closing = new AbortController().signal;
  const runner = new Runner({ runs, cgroups, clock, closing, token: randomUUID });
  const running = runner.names().filter((name) => runner.isRunning(name));
  // A stopped program may have child processes that outlived its shell.
  const stopping = runner.names().filter((name) => runner.pids(name).length > 0);
  const all = [...new Set([...running, ...stopping])];
  await Promise.all(all.map((name) => runner.stop(name, GRACE_MS)));
  for (const name of running) runner.simulateHostRestart(name);
  return running.length;
}

/** Time for a program to exit, in milliseconds. */
const GRACE_MS = 30_000;
