import type { PlanLimits } from '../../../../domain/hosting/plans.ts';
import type { Postgres } from '../../../../domain/hosting/records.ts';

/** The administrator role; only this program has its password. */
export const ADMIN_ROLE = 'stoa_admin';
/** The read-only role. */
export const READER_ROLE = 'stoa_reader';

const SMALL_MIB = 1_024;
const LARGE_MIB = 8_192;

/** The parts of a server's record that determine its settings. */
export type SettingsRecord = Pick<Postgres, 'databaseName' | 'databaseUser' | 'ipAllowList'>;

/** Paths as seen by the server. */
export interface SeenPaths {
  readonly settings: string;
  readonly sockets: string;
}

/** Returns the settings of a server: its plan's resources and where it listens. */
export function formatSettings(limits: PlanLimits, port: number, paths: SeenPaths): string {
  const { memoryMib, cpu } = limits;
  const connections = maxConnections(memoryMib);
  const parallel = Math.min(8, Math.floor(cpu / 2));
  const rows: Readonly<Record<string, string | number>> = {
    listen_addresses: `'127.0.0.1'`,
    port,
    unix_socket_directories: `'${paths.sockets}'`,
    unix_socket_permissions: '0777',
    hba_file: `'${paths.settings}/pg_hba.conf'`,
    ident_file: `'${paths.settings}/pg_ident.conf'`,
    password_encryption: `'scram-sha-256'`,
    max_connections: connections,
    shared_buffers: `${clampNumber(memoryMib / 4, 16, 16_384)}MB`,
    effective_cache_size: `${clampNumber((memoryMib * 3) / 4, 32, 1_048_576)}MB`,
    maintenance_work_mem: `${clampNumber(memoryMib / 16, 16, 2_048)}MB`,
    work_mem: `${clampNumber(memoryMib / connections / 2, 1, 256)}MB`,
    max_worker_processes: Math.max(4, Math.ceil(cpu)),
    max_parallel_workers: Math.max(0, Math.floor(cpu)),
    max_parallel_workers_per_gather: parallel,
    max_wal_size: `${clampNumber(memoryMib, 256, 8_192)}MB`,
    min_wal_size: '80MB',
    max_wal_senders: 0,
    max_replication_slots: 0,
    wal_level: 'minimal',
    logging_collector: 'off',
    log_line_prefix: `''`,
    log_timezone: `'UTC'`,
    timezone: `'UTC'`,
    log_checkpoints: 'off',
  };
  return `${Object.entries(rows)
    .map(([name, value]) => `${name} = ${value}`)
    .join('\n')}\n`;
}

/**
 * Returns the access rules: the owner and the daemon over the socket; the owner and the read-only
 * role from addresses in the allowlist. Everything else is rejected.
 */
export function formatAccessRules({
  databaseName,
  databaseUser,
  ipAllowList,
}: SettingsRecord): string {
  const lines = [
    `local all "${ADMIN_ROLE}" scram-sha-256`,
    `local "${databaseName}" "${databaseUser}" scram-sha-256`,
    ...ipAllowList.map(
      ({ cidrBlock }) =>
        `host "${databaseName}" "${databaseUser}","${READER_ROLE}" ${cidrBlock} scram-sha-256`,
    ),
  ];
  return `${lines.join('\n')}\n`;
}

/**
 * Returns the maximum private memory of one server process, in bytes, so that none can use all of
 * it.
 */
export function maxProcessBytes({ memoryMib }: PlanLimits): number {
  return clampNumber(memoryMib / 2, 96, 1_048_576) * 1_048_576;
}

function maxConnections(memoryMib: number): number {
  if (memoryMib < SMALL_MIB) return 50;
  return memoryMib < LARGE_MIB ? 100 : 200;
}

function clampNumber(value: number, least: number, most: number): number {
  return Math.round(Math.min(most, Math.max(least, value)));
}
