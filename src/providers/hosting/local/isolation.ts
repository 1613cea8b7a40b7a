import { AppError } from '../../../domain/common/error.ts';
import { type CgroupKind, openCgroups } from '../../sandbox/cgroups.ts';
import type { SandboxLevel } from '../../sandbox/find-program.ts';
import { type NetworkKind, networkHere } from './network/firewall.ts';
import { openSandbox } from './sandbox.ts';

/** How far hosted programs are kept apart. */
export interface Isolation {
  readonly sandbox: SandboxLevel;
  /** Whether odd sockets and abstract ones of others are taken from programs. */
  readonly confinesSockets: boolean;
  readonly cgroups: CgroupKind;
  /** Whether their network is kept apart, and how. */
  readonly network: NetworkKind;
}

/** Finds out how far programs can be kept apart on this machine, by doing it once. */
export function isolationHere(env: Readonly<Record<string, string | undefined>>): Isolation {
  const { level: sandbox, confinesSockets } = openSandbox(env);
  const network = sandbox === 'user' ? networkHere() : 'none';
  return { sandbox, confinesSockets, cgroups: openCgroups().kind, network };
}

/** What a machine lacks to keep programs of others apart; nothing where it can. */
export function lacksOf({
  sandbox,
  cgroups,
}: Pick<Isolation, 'sandbox' | 'cgroups'>): readonly string[] {
  return [
    ...(sandbox === 'user' ? [] : ['users and mounts of their own (root, unshare, setpriv)']),
    ...(cgroups === 'none' ? ['limits of the kernel (cgroups that this process may make)'] : []),
  ];
}

/** How far programs are kept apart here, and what more the machine could have, in one line. */
export function isolationLine(isolation: Isolation): string {
  const { sandbox, cgroups, network, confinesSockets } = isolation;
  const lacks = [
    ...lacksOf(isolation),
    ...(network === 'none' ? ['rules of the network by user (root, nft)'] : []),
    ...(confinesSockets ? [] : ['confined sockets (perl, Landlock of Linux 6.12)']),
  ];
  const groups = cgroups === 'none' ? 'no cgroups' : `cgroups ${cgroups}`;
  const rules = network === 'none' ? 'no rules of the network' : 'rules of the network';
  return (
    `hosted programs are kept apart at level ${sandbox}, with ${groups} and ${rules}; ` +
    `this machine lacks ${lacks.length === 0 ? 'nothing of it' : lacks.join(', ')}`
  );
}

/**
 * Refuses a machine on which programs of others are not kept apart.
 *
 * @throws {AppError} `NOT_CONFIGURED` naming what it lacks.
 */
export function refuseUnguarded(isolation: Pick<Isolation, 'sandbox' | 'cgroups'>): void {
  const lacks = lacksOf(isolation);
  if (lacks.length === 0) return;
  throw new AppError('NOT_CONFIGURED', {
    message:
      `This machine cannot keep hosted programs apart: it lacks ${lacks.join(' and ')}. ` +
      'Start with --trust-repositories where everything that is hosted is trusted like your own.',
    data: { ...isolation, allowed: '--trust-repositories' },
  });
}
