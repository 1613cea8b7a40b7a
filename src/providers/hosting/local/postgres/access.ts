import { readFileSync } from 'node:fs';
import { SECOND_MS } from '../../../../domain/common/time.ts';
import type { DatabaseOutcome } from '../../../../domain/hosting/database-host.ts';
import type { AllowedRange } from '../../../../domain/hosting/records.ts';
import { sendSignal as send } from '../run/processes.ts';
import { type AdminConnection, asAdmin } from './roles.ts';

/** Timeout for a server to reload its settings, in milliseconds. */
const RELOAD_MS = 15 * SECOND_MS;
/** Interval between checks whether it has, in milliseconds. */
const POLL_MS = 20;

/** TCP connections from addresses that the allowlist no longer contains. */
const END_UNLISTED = `select pg_terminate_backend(pid) from pg_stat_activity
  where pid <> pg_backend_pid() and client_addr is not null
  and not (client_addr <<= any ($1::inet[]))`;

/** Arguments of an allowlist change. */
export interface AccessChange {
  readonly admin: AdminConnection;
  readonly ranges: readonly AllowedRange[];
  /** Makes the server reload its settings. */
  readonly read: () => void;
  /** Process id of the postmaster. */
  readonly postmasterPid: number | undefined;
  /** Returns all processes of the server. */
  readonly pids: () => readonly number[];
  readonly pause: (ms: number) => Promise<void>;
  readonly now: () => number;
}

/**
 * Reloads the access rules of a running server and ends the connections that they no longer admit.
 * Idempotent.
 */
export async function applyPostgresAccess(change: AccessChange): Promise<DatabaseOutcome> {
  const { admin, ranges, read, pause, now } = change;
  const previousLoad = await readLoadTime(admin);
  const end = now() + RELOAD_MS;
  read();
  while ((await readLoadTime(admin)) === previousLoad) {
    if (now() >= end) return transientFailure('it did not reload its settings in time');
    await pause(POLL_MS);
  }
  const lists = ranges.map(({ cidrBlock }) => cidrBlock);
  return asAdmin(admin, 'postgres', async (client) => {
    const { rows: wrong } = await client.query<{ error: string }>(
      'select error from pg_hba_file_rules where error is not null limit 1',
    );
    const [first] = wrong;
    if (first !== undefined) return transientFailure(`it rejected the allowlist: ${first.error}`);
    await client.query(END_UNLISTED, [lists]);
    const { rows } = await client.query<{ pid: number }>('select pid from pg_stat_activity');
    endUnauthenticated(change, new Set(rows.map(({ pid }) => pid)));
    return { ok: true };
  });
}

/**
 * Ends processes of clients that have not authenticated: they started under the previous rules, and
 * no table lists them.
 */
function endUnauthenticated(
  { pids, postmasterPid }: AccessChange,
  known: ReadonlySet<number>,
): void {
  for (const pid of pids()) {
    if (!known.has(pid) && postmasterPid !== undefined && readParent(pid) === postmasterPid)
      send(pid, 'SIGTERM');
  }
}

function readParent(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return undefined;
  }
}

/** Returns when the settings for new connections were loaded, in the server's format. */
function readLoadTime(admin: AdminConnection): Promise<string> {
  return asAdmin(admin, 'postgres', async (client) => {
    const { rows } = await client.query<{ at: string }>('select pg_conf_load_time()::text as at');
    return rows[0]?.at ?? '';
  });
}

function transientFailure(reason: string): DatabaseOutcome {
  return { ok: false, reason, isFinal: false };
}
