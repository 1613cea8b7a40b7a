import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { Keeper } from '../../providers/hosting/local/keeper.ts';
import { removeRules } from '../../providers/hosting/local/network/firewall.ts';
import { openCgroups } from '../../providers/sandbox/cgroups.ts';
import { systemClock } from '../../runtime/timer/clock.ts';
import { lockDataDir } from '../server/data-lock.ts';
import { controlPath } from './hosting-router.ts';
import { hostingFolders } from './own-hosting.ts';
import { RouterLine } from './router-line.ts';

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
  const line = await RouterLine.open(controlPath(folder));
  if (line === undefined) return false;
  await line.ask({ do: 'stop' });
  await line.closed;
  return true;
}

async function stopPrograms(runs: string): Promise<number> {
  const clock = systemClock();
  const cgroups = openCgroups();
  const closing = new AbortController().signal;
  const keeper = new Keeper({ runs, cgroups, clock, closing, token: randomUUID });
  const running = keeper.names().filter((name) => keeper.look(name).state === 'running');
  // A stopped program may have child processes that outlived its shell.
  const ending = keeper.names().filter((name) => keeper.pids(name).length > 0);
  const all = [...new Set([...running, ...ending])];
  await Promise.all(all.map((name) => keeper.stop(name, GRACE_MS)));
  for (const name of running) keeper.disown(name);
  return running.length;
}

/** Time for a program to exit, in milliseconds. */
const GRACE_MS = 30_000;
