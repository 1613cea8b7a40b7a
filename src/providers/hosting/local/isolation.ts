import { AppError } from '../../../domain/error.ts';
import { type CgroupKind, openCgroups } from './cgroups.ts';
import { openSandbox, type SandboxLevel } from './sandbox.ts';

/** How far hosted programs are kept apart. */
export interface Isolation {
  readonly sandbox: SandboxLevel;
  readonly cgroups: CgroupKind;
}

/** Finds out how far programs can be kept apart on this machine, by doing it once. */
export function isolationHere(env: Readonly<Record<string, string | undefined>>): Isolation {
  return { sandbox: openSandbox(env).level, cgroups: openCgroups().kind };
}

/** What a machine lacks to keep programs of others apart; nothing where it can. */
export function lacksOf({ sandbox, cgroups }: Isolation): readonly string[] {
  return [
    ...(sandbox === 'user' ? [] : ['users and mounts of their own (root, unshare, setpriv)']),
    ...(cgroups === 'none' ? ['limits of the kernel (cgroups that this process may make)'] : []),
  ];
}

/**
 * Refuses a machine on which programs of others are not kept apart.
 *
 * @throws {AppError} `NOT_CONFIGURED` naming what it lacks.
 */
export function refuseUnguarded(isolation: Isolation): void {
  const lacks = lacksOf(isolation);
  if (lacks.length === 0) return;
  throw new AppError('NOT_CONFIGURED', {
    message:
      `This machine cannot keep hosted programs apart: it lacks ${lacks.join(' and ')}. ` +
      'Start with --trust-repositories where everything that is hosted is trusted like your own.',
    data: { ...isolation, allowed: '--trust-repositories' },
  });
}
