import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { canaryOf, ENVIRONMENT_CANARIES, HOME_CANARIES } from '../../domain/audit/probe/canary.ts';
import { sha256Hex } from '../../domain/common/hash.ts';
import { endMarked } from './process-tree.ts';

/** In the surroundings of a process, it tells whose it is, whatever became of its parent. */
export const CONNECTION_MARK = 'STOA_AUDIT_CONNECTION';

/** What a child process of an audit is given instead of ours. */
export interface Surroundings {
  readonly home: string;
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * Ends the processes that an earlier life of the same owner left, and removes their homes. Those of
 * other owners are not touched.
 *
 * @param owner - As {@link makeSurroundings} had it; only one process at a time may be it.
 */
export async function sweepSurroundings(owner: string): Promise<void> {
  const homes = homesOf(owner);
  await endMarked((variable) => variable.startsWith(`${CONNECTION_MARK}=${homes}`));
  const names = await readdir(dirname(homes)).catch(() => []);
  const left = names.filter((name) => name.startsWith(basename(homes)));
  await Promise.allSettled(
    left.map((name) => rm(join(dirname(homes), name), { recursive: true, force: true })),
  );
}

/** How the homes of an owner begin. */
function homesOf(owner: string | undefined): string {
  const whose = owner === undefined ? '' : `${sha256Hex(owner).slice(0, 16)}-`;
  return join(tmpdir(), `stoa-audit-${whose}`);
}

/** A home with canary files and an environment with canary secrets; nothing of ours is in it. */
export async function makeSurroundings(seed: string, owner?: string): Promise<Surroundings> {
  const home = await mkdtemp(homesOf(owner));
  for (const { path, label } of HOME_CANARIES) {
    const file = join(home, path);
    await mkdir(join(file, '..'), { recursive: true });
    await writeFile(file, `${canaryOf(seed, label)}\n`, { mode: 0o600 });
  }
  const secrets = ENVIRONMENT_CANARIES.map(({ variable, label }) => [
    variable,
    canaryOf(seed, label),
  ]);
  const environment = {
    PATH: process.env['PATH'] ?? '/usr/bin:/bin',
    HOME: home,
    TMPDIR: home,
    LANG: 'C.UTF-8',
    ...(Object.fromEntries(secrets) as Record<string, string>),
  };
  return { home, environment };
}
