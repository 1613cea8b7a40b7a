import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import {
  deriveCanary,
  ENVIRONMENT_CANARIES,
  HOME_CANARIES,
} from '../../domain/audit/probe/canary.ts';
import { sha256Hex } from '../../domain/common/hash.ts';
import { killMarkedProcesses } from './process-tree.ts';

/** Environment variable that marks a process as part of an audit, even after its parent exits. */
export const CONNECTION_MARK = 'STOA_AUDIT_CONNECTION';

/** The environment and home folder of an audited process, which replace our own. */
export interface ProcessEnvironment {
  readonly home: string;
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * Kills processes of an earlier run of the same owner and removes their home folders. Those of
 * other owners stay.
 *
 * @param owner - The owner passed to {@link createProcessEnvironment}. Only one process at a time
 *   may use it.
 */
export async function removeLeftovers(owner: string): Promise<void> {
  const homes = homePrefix(owner);
  await killMarkedProcesses((variable) => variable.startsWith(`${CONNECTION_MARK}=${homes}`));
  const names = await readdir(dirname(homes)).catch(() => []);
  const leftovers = names.filter((name) => name.startsWith(basename(homes)));
  await Promise.allSettled(
    leftovers.map((name) => rm(join(dirname(homes), name), { recursive: true, force: true })),
  );
}

/** Returns the path prefix of an owner's home folders. */
function homePrefix(owner: string | undefined): string {
  const ownerPrefix = owner === undefined ? '' : `${sha256Hex(owner).slice(0, 16)}-`;
  return join(tmpdir(), `stoa-audit-${ownerPrefix}`);
}

/**
 * Creates a home with canary files and an environment with canary secrets. Neither contains our own
 * data.
 */
export async function createProcessEnvironment(
  seed: string,
  owner?: string,
): Promise<ProcessEnvironment> {
  const home = await mkdtemp(homePrefix(owner));
  for (const { path, label } of HOME_CANARIES) {
    const file = join(home, path);
    await mkdir(join(file, '..'), { recursive: true });
    await writeFile(file, `${deriveCanary(seed, label)}\n`, { mode: 0o600 });
  }
  const secrets = ENVIRONMENT_CANARIES.map(({ variable, label }) => [
    variable,
    deriveCanary(seed, label),
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
