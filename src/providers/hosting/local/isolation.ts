import { AppError } from '../../../domain/common/error.ts';
import { type CgroupKind, detectCgroups } from '../../sandbox/cgroups.ts';
import type { SandboxLevel } from '../../sandbox/find-program.ts';
import { detectNetwork, type NetworkKind } from './network/firewall.ts';
import { openSandbox } from './sandbox.ts';

/** Isolation of hosted programs. */
export interface Isolation {
  readonly sandbox: SandboxLevel;
  /** Whether unusual sockets and foreign abstract sockets are blocked. */
  readonly confinesSockets: boolean;
  readonly cgroups: CgroupKind;
  /** How their network is isolated. */
  readonly network: NetworkKind;
}

/** Probes once how well programs can be isolated on this machine. */
export function detectIsolation(env: Readonly<Record<string, string | undefined>>): Isolation {
  const { level: sandbox, confinesSockets } = openSandbox(env);
  const network = sandbox === 'user' ? detectNetwork() : 'none';
  return { sandbox, confinesSockets, cgroups: detectCgroups().kind, network };
}

/** Returns what a machine lacks to isolate third-party programs; empty if nothing. */
export function listMissing({
  sandbox,
  cgroups,
}: Pick<Isolation, 'sandbox' | 'cgroups'>): readonly string[] {
  return [
    ...(sandbox === 'user' ? [] : ['separate users and mounts (root, unshare, setpriv)']),
    ...(cgroups === 'none' ? ['resource limits (cgroups that this process can create)'] : []),
  ];
}

/** Describes the isolation on this machine, and what it lacks, in one line. */
export function describeIsolation(isolation: Isolation): string {
  const { sandbox, cgroups, network, confinesSockets } = isolation;
  const missing = [
    ...listMissing(isolation),
    ...(network === 'none' ? ['network rules by user (root, nft)'] : []),
    ...(confinesSockets ? [] : ['confined sockets (perl, Landlock of Linux 6.12)']),
  ];
  const groups = cgroups === 'none' ? 'no cgroups' : `cgroups ${cgroups}`;
  const rules = network === 'none' ? 'no network rules' : 'network rules';
  return (
    `hosted programs are isolated at level ${sandbox}, with ${groups} and ${rules}; ` +
    `this machine lacks ${missing.length === 0 ? 'nothing' : missing.join(', ')}`
  );
}

/**
 * Rejects a machine that cannot isolate third-party programs.
 *
 * @throws {AppError} `NOT_CONFIGURED` naming what it lacks.
 */
export function assertIsolated(isolation: Pick<Isolation, 'sandbox' | 'cgroups'>): void {
  const lacks = listMissing(isolation);
  if (lacks.length === 0) return;
  throw new AppError('NOT_CONFIGURED', {
    message:
      `This machine cannot isolate hosted programs: it lacks ${lacks.join(' and ')}. ` +
      'Run `stoa serve --trust-repositories` if you trust everything that is hosted here.',
    data: { ...isolation, allowed: '--trust-repositories' },
  });
}
