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
