import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { isIP } from 'node:net';
import type { Clock } from '../../../../domain/common/clock.ts';
import { AppError } from '../../../../domain/common/error.ts';
import { SECOND_MS } from '../../../../domain/common/time.ts';
import { spawnSync } from '../../../../system/child.ts';
import {
  claimUsers,
  findStaleClaims,
  releaseClaim,
  type UserRange,
} from '../../../sandbox/users.ts';
import type { ReachedRange } from '../../settings.ts';
import type { Layout } from '../layout.ts';
import { allowedPairs, listNetworkMembers, type NetworkMember, storeMember } from './members.ts';
import { formatChanges, formatTable } from './rules.ts';

/** How the network of hosted programs is isolated: by rules for their users, or not at all. */
export type NetworkKind = 'users' | 'none';

/** Interval between checks whether the rules are still active, in milliseconds. */
const CHECK_MS = 5 * SECOND_MS;
/** Timeout of `nft`, in milliseconds. */
const NFT_MS = 30 * SECOND_MS;
/** A user id without processes: rules for it affect no connection. */
const UNUSED_UID = 4_294_967_294;

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
  admit(id: string, member: NetworkMember): void;
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
export const NO_FIREWALL: Firewall = {
  kind: 'none',
  fetcher: undefined,
  admit: () => undefined,
};

/** Probes once whether the kernel accepts rules by user. */
export function detectNetwork(): NetworkKind {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'none';
  const table = `stoa_probe_${process.pid}`;
  const block = { first: UNUSED_UID, last: UNUSED_UID };
  const empty = { others: [], stores: [], pairs: [], resolvers: [], reach: [] };
  if (!runNft(formatTable({ table, block, ...empty }))) return 'none';
  return runNft(`delete table inet ${table}\n`) ? 'users' : 'none';
}

/**
 * Applies the rules of a data directory and keeps them active. Rules that other programs remove,
 * for example by reloading the machine's own rules, are restored within seconds.
 *
 * @throws {AppError} `HOST_UNAVAILABLE` if the rules cannot be applied.
 */
export function openFirewall(parts: FirewallParts): Firewall {
  const { layout, clock, closing, isNeeded } = parts;
  const table = tableName(layout.users);
  removeStaleTables();
  applyRules(parts);
  const scheduleCheck = (): (() => void) =>
    clock.at(clock.now() + CHECK_MS, () => {
      if (closing.aborted || !existsSync(layout.root)) return;
      if (!runNft(`list chain inet ${table} out\n`)) reapplyRules(parts);
      cancel = scheduleCheck();
    });
  let cancel = scheduleCheck();
  closing.addEventListener('abort', () => {
    cancel();
    if (!isNeeded()) removeTable(layout.users);
  });
  return {
    kind: 'users',
    fetcher: layout.users.first,
    admit: (id, member) => {
      layout.assignUid(id);
      if (storeMember(layout, id, member)) updateRules(parts);
    },
  };
}

/** Removes the rules of a hosting folder once nothing runs from there. */
export function removeRules(root: string): void {
  if (process.getuid?.() === 0) removeTable(claimUsers(realpathSync(root)));
}

function removeTable(users: UserRange): void {
  const table = tableName(users);
  runNft(`table inet ${table}\ndelete table inet ${table}\n`);
}

function applyRules(parts: FirewallParts): void {
  const { layout, reach } = parts;
  const { users: block } = layout;
  const isOther = (uid: number): boolean => uid < block.first || uid > block.last;
  const others = [...new Set(layout.listTenants().map(({ uid }) => uid))].filter(isOther);
  const resolvers = readResolvers();
  if (runNft(formatTable({ ...memberRules(parts), block, others, reach, resolvers }))) return;
  const message = 'The network rules for hosted programs could not be applied.';
  throw new AppError('HOST_UNAVAILABLE', { message });
}

/** A failure is retried at the next check. */
function reapplyRules(parts: FirewallParts): void {
  try {
    applyRules(parts);
  } catch {
    return;
  }
}

/** A missing table is created again. */
function updateRules(parts: FirewallParts): void {
  if (!runNft(formatChanges(memberRules(parts)))) applyRules(parts);
}

function memberRules({ layout }: FirewallParts) {
  const members = listNetworkMembers(layout);
  return {
    table: tableName(layout.users),
    stores: members.filter(({ isStore }) => isStore).map(({ uid }) => uid),
    pairs: allowedPairs(members),
  };
}

/** Removes rules of deleted data directories, unless their programs still run. */
function removeStaleTables(): void {
  for (const users of findStaleClaims()) {
    if (hasProcess(users)) continue;
    removeTable(users);
    releaseClaim(users);
  }
}

function hasProcess({ first, last }: UserRange): boolean {
  return readdirSync('/proc').some((name) => {
    if (!/^\d+$/.test(name)) return false;
    const uid = statSync(`/proc/${name}`, { throwIfNoEntry: false })?.uid ?? 0;
    return uid >= first && uid <= last;
  });
}

function tableName({ name }: UserRange): string {
  return `stoa_${name}`;
}

/** Returns the name servers of this machine. */
function readResolvers(): readonly string[] {
  const file = '/etc/resolv.conf';
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .map((line) => /^nameserver\s+(\S+)/.exec(line)?.[1] ?? '')
    .filter((address) => isIP(address) !== 0);
}

function runNft(text: string): boolean {
  const done = spawnSync('nft', ['-f', '-'], { input: text, timeout: NFT_MS });
  return done.status === 0;
}
