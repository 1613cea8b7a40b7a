import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { isIP } from 'node:net';
import type { Clock } from '../../../../domain/common/clock.ts';
import { AppError } from '../../../../domain/common/error.ts';
import { SECOND_MS } from '../../../../domain/common/time.ts';
import { spawnSync } from '../../../../system/child.ts';
import { claimUsers, forgetClaim, goneClaims, type UserBlock } from '../../../sandbox/users.ts';
import type { ReachedRange } from '../../settings.ts';
import type { Layout } from '../layout.ts';
import { keepMember, type Member, membersOf, pairsOf } from './members.ts';
import { changeText, tableText } from './rules.ts';

/** How the network of hosted programs is isolated: by rules for their users, or not at all. */
export type NetworkKind = 'users' | 'none';

/** Interval between checks whether the rules are still active, in milliseconds. */
const LOOK_MS = 5 * SECOND_MS;
/** Timeout of `nft`, in milliseconds. */
const NFT_MS = 30 * SECOND_MS;
/** A user id without processes: rules for it affect no connection. */
const NOBODY = 4_294_967_294;

/** The firewall of one data directory. Its rules are in the kernel and outlive the server. */
export interface Firewall {
  readonly kind: NetworkKind;
  /** The user that fetches sources; `undefined` without rules. */
  readonly fetcher: number | undefined;
  /**
   * Allows a hosted service or store to reach what it may, before its programs run. Idempotent.
   *
   * @throws {AppError} `HOST_UNAVAILABLE` if the rules cannot be applied.
   */
  admit(id: string, member: Member): void;
}

/** Dependencies of the firewall. */
export interface FirewallParts {
  readonly layout: Layout;
  readonly reach: readonly ReachedRange[];
  readonly clock: Clock;
  /** Aborts when the server stops. */
  readonly closing: AbortSignal;
  /** Returns whether something runs that needs the rules. */
  readonly isNeeded: () => boolean;
}

/** A firewall without rules. */
export const OPEN_NETWORK: Firewall = {
  kind: 'none',
  fetcher: undefined,
  admit: () => undefined,
};

/** Probes once whether the kernel accepts rules by user. */
export function networkHere(): NetworkKind {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'none';
  const table = `stoa_probe_${process.pid}`;
  const block = { first: NOBODY, last: NOBODY };
  const empty = { others: [], stores: [], pairs: [], resolvers: [], reach: [] };
  if (!nft(tableText({ table, block, ...empty }))) return 'none';
  return nft(`delete table inet ${table}\n`) ? 'users' : 'none';
}

/**
 * Applies the rules of a data directory and keeps them active. Rules that other programs remove,
 * for example by reloading the machine's own rules, are restored within seconds.
 *
 * @throws {AppError} `HOST_UNAVAILABLE` if the rules cannot be applied.
 */
export function openFirewall(parts: FirewallParts): Firewall {
  const { layout, clock, closing, isNeeded } = parts;
  const table = tableOf(layout.users);
  sweep();
  apply(parts);
  const later = (): (() => void) =>
    clock.at(clock.now() + LOOK_MS, () => {
      if (closing.aborted || !existsSync(layout.root)) return;
      if (!nft(`list chain inet ${table} out\n`)) reapply(parts);
      cancel = later();
    });
  let cancel = later();
  closing.addEventListener('abort', () => {
    cancel();
    if (!isNeeded()) removeTable(layout.users);
  });
  return {
    kind: 'users',
    fetcher: layout.users.first,
    admit: (id, member) => {
      layout.uidOf(id);
      if (keepMember(layout, id, member)) change(parts);
    },
  };
}

/** Removes the rules of a hosting folder once nothing runs from there. */
export function removeRules(root: string): void {
  if (process.getuid?.() === 0) removeTable(claimUsers(realpathSync(root)));
}

function removeTable(users: UserBlock): void {
  const table = tableOf(users);
  nft(`table inet ${table}\ndelete table inet ${table}\n`);
}

function apply(parts: FirewallParts): void {
  const { layout, reach } = parts;
  const { users: block } = layout;
  const isOther = (uid: number): boolean => uid < block.first || uid > block.last;
  const others = [...new Set(layout.tenants().map(({ uid }) => uid))].filter(isOther);
  const resolvers = resolversHere();
  if (nft(tableText({ ...rulesOfMembers(parts), block, others, reach, resolvers }))) return;
  const message = 'The network rules for hosted programs could not be applied.';
  throw new AppError('HOST_UNAVAILABLE', { message });
}

/** A failure is retried at the next check. */
function reapply(parts: FirewallParts): void {
  try {
    apply(parts);
  } catch {
    return;
  }
}

/** A missing table is created again. */
function change(parts: FirewallParts): void {
  if (!nft(changeText(rulesOfMembers(parts)))) apply(parts);
}

function rulesOfMembers({ layout }: FirewallParts) {
  const members = membersOf(layout);
  return {
    table: tableOf(layout.users),
    stores: members.filter(({ isStore }) => isStore).map(({ uid }) => uid),
    pairs: pairsOf(members),
  };
}

/** Removes rules of deleted data directories, unless their programs still run. */
function sweep(): void {
  for (const users of goneClaims()) {
    if (hasProcess(users)) continue;
    removeTable(users);
    forgetClaim(users);
  }
}

function hasProcess({ first, last }: UserBlock): boolean {
  return readdirSync('/proc').some((name) => {
    if (!/^\d+$/.test(name)) return false;
    const uid = statSync(`/proc/${name}`, { throwIfNoEntry: false })?.uid ?? 0;
    return uid >= first && uid <= last;
  });
}

function tableOf({ name }: UserBlock): string {
  return `stoa_${name}`;
}

/** Returns the name servers of this machine. */
function resolversHere(): readonly string[] {
  const file = '/etc/resolv.conf';
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .map((line) => /^nameserver\s+(\S+)/.exec(line)?.[1] ?? '')
    .filter((address) => isIP(address) !== 0);
}

function nft(text: string): boolean {
  const done = spawnSync('nft', ['-f', '-'], { input: text, timeout: NFT_MS });
  return done.status === 0;
}
