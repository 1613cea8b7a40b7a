import { readFileSync } from 'node:fs';
import { SECOND_MS } from '../../../../domain/common/time.ts';
import type { DatabaseEnd } from '../../../../domain/hosting/database-host.ts';
import type { AllowedRange } from '../../../../domain/hosting/records.ts';
import { signal as send } from '../processes.ts';
import { type AdminPlace, asAdmin } from './roles.ts';

/** Timeout for a server to reload its settings, in milliseconds. */
const READ_MS = 15 * SECOND_MS;
/** Interval between checks whether it has, in milliseconds. */
const LOOK_MS = 20;

/** TCP connections from addresses that the allowlist no longer contains. */
const END_UNLISTED = `select pg_terminate_backend(pid) from pg_stat_activity
  where pid <> pg_backend_pid() and client_addr is not null
  and not (client_addr <<= any ($1::inet[]))`;

/** Arguments of an allowlist change. */
export interface AccessOrder {
  readonly admin: AdminPlace;
  readonly ranges: readonly AllowedRange[];
  /** Makes the server reload its settings. */
  readonly read: () => void;
  /** Process id of the postmaster. */
  readonly own: number | undefined;
  /** Returns all processes of the server. */
  readonly pids: () => readonly number[];
  readonly pause: (ms: number) => Promise<void>;
  readonly now: () => number;
}

/**
 * Reloads the access rules of a running server and ends the connections that they no longer admit.
 * Idempotent.
 */
export async function takeAccess(order: AccessOrder): Promise<DatabaseEnd> {
  const { admin, ranges, read, pause, now } = order;
  const before = await readAt(admin);
  const end = now() + READ_MS;
  read();
  while ((await readAt(admin)) === before) {
    if (now() >= end) return failed('it did not reload its settings in time');
    await pause(LOOK_MS);
  }
  const lists = ranges.map(({ cidrBlock }) => cidrBlock);
  return asAdmin(admin, 'postgres', async (client) => {
    const { rows: wrong } = await client.query<{ error: string }>(
      'select error from pg_hba_file_rules where error is not null limit 1',
    );
    const [first] = wrong;
    if (first !== undefined) return failed(`it rejected the allowlist: ${first.error}`);
    await client.query(END_UNLISTED, [lists]);
    const { rows } = await client.query<{ pid: number }>('select pid from pg_stat_activity');
    endUnproven(order, new Set(rows.map(({ pid }) => pid)));
    return { ok: true };
  });
}

/**
 * Ends processes of clients that have not authenticated: they started under the previous rules, and
 * no table lists them.
 */
function endUnproven({ pids, own }: AccessOrder, known: ReadonlySet<number>): void {
  for (const pid of pids()) {
    if (!known.has(pid) && own !== undefined && parentOf(pid) === own) send(pid, 'SIGTERM');
  }
}

function parentOf(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return undefined;
  }
}

/** Returns when the settings for new connections were loaded, in the server's format. */
function readAt(admin: AdminPlace): Promise<string> {
  return asAdmin(admin, 'postgres', async (client) => {
    const { rows } = await client.query<{ at: string }>('select pg_conf_load_time()::text as at');
    return rows[0]?.at ?? '';
  });
}

function failed(reason: string): DatabaseEnd {
  return { ok: false, reason, isFinal: false };
}
