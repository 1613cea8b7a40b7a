import { createHash, createHmac } from 'node:crypto';
import ipaddr from 'ipaddr.js';
import type { HostedDatabase } from '../../../../domain/hosting/database-host.ts';
import { KEY_VALUE_PLANS, type PlanLimits } from '../../../../domain/hosting/plans.ts';
import type { AllowedRange, KeyValue } from '../../../../domain/hosting/records.ts';
import type { PersistenceMode } from '../../../../domain/hosting/value-sets.ts';
import type { Kept } from './place.ts';

const BYTES_PER_MIB = 1_048_576;
/** Memory of the process beside its data: the program itself, connections, scripts, in MiB. */
const OWN_MIB = 64;
/** What a save may add while clients go on writing, as a share of the plan. */
const SAVE_SHARE = 0.5;
const CLIENTS_MAX = 1_000;
const BULK_BYTES_MAX = 512 * BYTES_PER_MIB;
/** Where every caller comes from: servers listen there alone. */
const HERE = '127.0.0.1';
/** The user that the daemon looks after an instance with. */
export const ADMIN_USER = 'stoa';

/** A hosted instance. */
export type HostedKeyValue = HostedDatabase<KeyValue>;

/** How each mode keeps data. */
const PERSISTENCE: Readonly<Record<PersistenceMode, readonly string[]>> = {
  journal_snapshot: ['save 3600 1 300 100 60 10000', 'appendonly yes', 'appendfsync everysec'],
  snapshot: ['save 3600 1 300 100 60 10000', 'appendonly no'],
  off: ['save ""', 'appendonly no'],
};

/**
 * What a tenant may call. Everything that governs the server or reaches beyond it is taken away by
 * category, so that commands of later versions are too; what only governs own data comes back.
 */
const TENANT_RULES = [
  '~* &* +@all -@admin -@dangerous',
  '+info +keys +flushall +flushdb +sort +sort_ro +role +swapdb +lastsave',
  '+client|list +client|kill +client|unblock +slowlog -script|debug',
].join(' ');

/** Users with which an instance is reached. */
export interface Users {
  /** By programs on this machine. */
  readonly internal: { readonly name: string; readonly password: string };
  /** As far as the allowlist lets callers in. */
  readonly external: { readonly name: string; readonly password: string };
}

/** The users of an instance; the password of one does not tell the other's. */
export function usersOf({ record, password }: HostedKeyValue): Users {
  const external = createHmac('sha256', password).update('external').digest('hex');
  return {
    internal: { name: record.id, password },
    external: { name: `${record.id}-external`, password: external },
  };
}

/** Whether an allowlist lets in the address that all callers have here. */
export function isAllowedHere(ranges: readonly AllowedRange[]): boolean {
  return ranges.some(({ cidrBlock }) => {
    if (!ipaddr.isValidCIDR(cidrBlock)) return false;
    const range = ipaddr.parseCIDR(cidrBlock);
    return range[0].kind() === 'ipv4' && ipaddr.parse(HERE).match(range);
  });
}

/** What the process of a plan may use: its data, a save of it, and the program. */
export function keyValueLimits(plan: KeyValue['plan']): PlanLimits {
  const { cpu, memoryMib } = KEY_VALUE_PLANS[plan];
  return { cpu, memoryMib: Math.ceil(memoryMib * (1 + SAVE_SHARE)) + OWN_MIB };
}

/** What a server keeps to, as far as it follows from its record. */
export interface TakenSettings {
  /** Plan and options; others need a start. */
  readonly fixed: string;
  /** Whether the external address is open; that can change while it runs. */
  readonly isOpen: boolean;
}

/** What the server of a record is to keep to. */
export function settingsOf({ record }: HostedKeyValue): TakenSettings {
  const { plan, options, ipAllowList } = record;
  return { fixed: JSON.stringify({ plan, options }), isOpen: isAllowedHere(ipAllowList) };
}

/** The settings file of a server. Paths are relative to its folder; passwords are hashes. */
export function configOf(database: HostedKeyValue, { port, admin }: Kept): string {
  const { plan, options, ipAllowList } = database.record;
  const bytes = KEY_VALUE_PLANS[plan].memoryMib * BYTES_PER_MIB;
  const { internal, external } = usersOf(database);
  const isOpen = isAllowedHere(ipAllowList);
  const lines = [
    `bind ${HERE}`,
    `port ${port}`,
    'dir ./data',
    'daemonize no',
    // The mark of a run stands in the environment, which a new title would overwrite.
    'set-proc-title no',
    'always-show-logo no',
    ...[`maxmemory ${bytes}`, `maxmemory-policy ${options.maxmemoryPolicy.replaceAll('_', '-')}`],
    // Of one client no more than the plan has: the kernel would end the server for it.
    ...[`maxclients ${CLIENTS_MAX}`, 'maxmemory-clients 25%'],
    `proto-max-bulk-len ${Math.min(BULK_BYTES_MAX, bytes / 2)}`,
    `client-query-buffer-limit ${Math.min(2 * BULK_BYTES_MAX, bytes)}`,
    // Where memory ends, a save goes before the server does.
    'oom-score-adj relative',
    ...PERSISTENCE[options.persistenceMode],
    'enable-debug-command no',
    'enable-module-command no',
    'enable-protected-configs no',
    'user default off resetpass resetkeys resetchannels -@all',
    `user ${ADMIN_USER} on #${hashOf(admin)} ~* &* +@all`,
    `user ${internal.name} on #${hashOf(internal.password)} ${TENANT_RULES}`,
    `user ${external.name} ${isOpen ? 'on' : 'off'} #${hashOf(external.password)} ${TENANT_RULES}`,
  ];
  return `${lines.join('\n')}\n`;
}

function hashOf(password: string): string {
  return createHash('sha256').update(password).digest('hex');
}
