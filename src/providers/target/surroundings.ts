import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { canaryOf, ENVIRONMENT_CANARIES, HOME_CANARIES } from '../../domain/audit/canary.ts';

/** What a child process of an audit is given instead of ours. */
export interface Surroundings {
  readonly home: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** A home with canary files and an environment with canary secrets; nothing of ours is in it. */
export async function makeSurroundings(seed: string): Promise<Surroundings> {
  const home = await mkdtemp(join(tmpdir(), 'stoa-audit-'));
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
