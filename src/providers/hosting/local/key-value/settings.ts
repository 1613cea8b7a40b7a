import { createHash, createHmac } from 'node:crypto';
import ipaddr from 'ipaddr.js';
import type { HostedDatabase } from '../../../../domain/hosting/database-host.ts';
import { KEY_VALUE_PLANS, type PlanLimits } from '../../../../domain/hosting/plans.ts';
import type { AllowedRange, KeyValue } from '../../../../domain/hosting/records.ts';
import type { PersistenceMode } from '../../../../domain/hosting/value-sets.ts';
import type { AppliedSettings, InstanceData } from './instance-files.ts';

const BYTES_PER_MIB = 1_048_576;
/** Memory of the process in addition to its data, in MiB: the program, connections, scripts. */
const OWN_MIB = 64;
/** Extra memory for a save during writes, as a share of the plan. */
const SAVE_SHARE = 0.5;
const CLIENTS_MAX = 1_000;
const BULK_BYTES_MAX = 512 * BYTES_PER_MIB;
/** Address of every caller, and the only address on which servers listen. */
const LOCAL_ADDRESS = '127.0.0.1';
/** Administrator user of the daemon. */
export const ADMIN_USER = 'stoa';

/** A hosted instance. */
export type HostedKeyValue = HostedDatabase<KeyValue>;

/** Settings of each persistence mode. */
const PERSISTENCE: Readonly<Record<PersistenceMode, readonly string[]>> = {
  journal_snapshot: ['save 3600 1 300 100 60 10000', 'appendonly yes', 'appendfsync everysec'],
  snapshot: ['save 3600 1 300 100 60 10000', 'appendonly no'],
  off: ['save ""', 'appendonly no'],
};

/**
 * Commands allowed to a tenant. Commands that control the server or reach beyond it are removed by
 * category, which covers commands of later versions. Those that only affect the tenant's data are
 * re-enabled.
 */
const TENANT_RULES = [
  '~* &* +@all -@admin -@dangerous',
  '+info +keys +flushall +flushdb +sort +sort_ro +role +swapdb +lastsave',
  '+client|list +client|kill +client|unblock +slowlog -script|debug',
].join(' ');

/** Users of an instance. */
export interface InstanceUsers {
  /** For programs on this machine. */
  readonly internal: { readonly name: string; readonly password: string };
  /** For callers that the allowlist admits. */
  readonly external: { readonly name: string; readonly password: string };
}

/** Returns the users of an instance. One password does not reveal the other. */
export function deriveUsers({ record, password }: HostedKeyValue): InstanceUsers {
  const external = createHmac('sha256', password).update('external').digest('hex');
  return {
    internal: { name: record.id, password },
    external: { name: `${record.id}-external`, password: external },
  };
}

/** Returns whether an allowlist contains the address of local callers. */
export function isAllowedHere(ranges: readonly AllowedRange[]): boolean {
  return ranges.some(({ cidrBlock }) => {
    if (!ipaddr.isValidCIDR(cidrBlock)) return false;
    const range = ipaddr.parseCIDR(cidrBlock);
    return range[0].kind() === 'ipv4' && ipaddr.parse(LOCAL_ADDRESS).match(range);
  });
}

/** Returns the process limits of a plan: its data, a save of it, and the program. */
export function keyValueLimits(plan: KeyValue['plan']): PlanLimits {
  const { cpu, memoryMib } = KEY_VALUE_PLANS[plan];
  return { cpu, memoryMib: Math.ceil(memoryMib * (1 + SAVE_SHARE)) + OWN_MIB };
}

/** Returns the settings that the server of a record should apply. */
export function requiredSettings({ record }: HostedKeyValue): AppliedSettings {
  const { plan, options, ipAllowList } = record;
  return { fixed: JSON.stringify({ plan, options }), isOpen: isAllowedHere(ipAllowList) };
}

/**
 * Returns the configuration file of a server. Paths are relative to its folder; passwords are
 * hashed.
 */
export function formatConfig(database: HostedKeyValue, { port, admin }: InstanceData): string {
  const { plan, options, ipAllowList } = database.record;
  const bytes = KEY_VALUE_PLANS[plan].memoryMib * BYTES_PER_MIB;
  const { internal, external } = deriveUsers(database);
  const isOpen = isAllowedHere(ipAllowList);
  const lines = [
    `bind ${LOCAL_ADDRESS}`,
    `port ${port}`,
    'dir ./data',
    'daemonize no',
    // The run's mark is in the environment, which a process title would overwrite.
    'set-proc-title no',
    'always-show-logo no',
    ...[`maxmemory ${bytes}`, `maxmemory-policy ${options.maxmemoryPolicy.replaceAll('_', '-')}`],
    // One client must not exceed the plan's memory, or the kernel would kill the server.
    ...[`maxclients ${CLIENTS_MAX}`, 'maxmemory-clients 25%'],
    `proto-max-bulk-len ${Math.min(BULK_BYTES_MAX, bytes / 2)}`,
    `client-query-buffer-limit ${Math.min(2 * BULK_BYTES_MAX, bytes)}`,
    // When memory runs out, the kernel kills a save before the server.
    'oom-score-adj relative',
    ...PERSISTENCE[options.persistenceMode],
    'enable-debug-command no',
    'enable-module-command no',
    'enable-protected-configs no',
    'user default off resetpass resetkeys resetchannels -@all',
    `user ${ADMIN_USER} on #${hashPassword(admin)} ~* &* +@all`,
    `user ${internal.name} on #${hashPassword(internal.password)} ${TENANT_RULES}`,
    `user ${external.name} ${isOpen ? 'on' : 'off'} ` +
      `#${hashPassword(external.password)} ${TENANT_RULES}`,
  ];
  return `${lines.join('\n')}\n`;
}

function hashPassword(password: string): string {
  return createHash('sha256').update(password).digest('hex');
}
