import { readFileSync } from 'node:fs';
import { SECOND_MS } from '../../../../domain/common/time.ts';
import type { DatabaseEnd } from '../../../../domain/hosting/database-host.ts';
import type { AllowedRange } from '../../../../domain/hosting/records.ts';
import { signal as send } from '../processes.ts';
import { type AdminPlace, asAdmin } from './roles.ts';

/** Longest wait for a server to have read its settings, in milliseconds. */
const READ_MS = 15 * SECOND_MS;
/** Time between two looks at whether it has, in milliseconds. */
const LOOK_MS = 20;

/** Connections over TCP from where the allowlist lets nobody in any more. */
const END_UNLISTED = `select pg_terminate_backend(pid) from pg_stat_activity
  where pid <> pg_backend_pid() and client_addr is not null
  and not (client_addr <<= any ($1::inet[]))`;

/** What a change of an allowlist is taken with. */
export interface AccessOrder {
  readonly admin: AdminPlace;
  readonly ranges: readonly AllowedRange[];
  /** Has the server read its settings. */
  readonly read: () => void;
  /** Its first process. */
  readonly own: number | undefined;
  /** All its processes. */
  readonly pids: () => readonly number[];
  readonly pause: (ms: number) => Promise<void>;
  readonly now: () => number;
}

/**
 * Has a server that runs read who may connect, and ends what it let in before and would refuse now.
 * Safe to repeat.
 */
export async function takeAccess(order: AccessOrder): Promise<DatabaseEnd> {
  const { admin, ranges, read, pause, now } = order;
  const before = await readAt(admin);
  const end = now() + READ_MS;
  read();
  while ((await readAt(admin)) === before) {
    if (now() >= end) return failed('it did not read its settings in time');
    await pause(LOOK_MS);
  }
  const lists = ranges.map(({ cidrBlock }) => cidrBlock);
  return asAdmin(admin, 'postgres', async (client) => {
    const { rows: wrong } = await client.query<{ error: string }>(
      'select error from pg_hba_file_rules where error is not null limit 1',
    );
    const [first] = wrong;
    if (first !== undefined) return failed(`it refused the allowlist: ${first.error}`);
    await client.query(END_UNLISTED, [lists]);
    const { rows } = await client.query<{ pid: number }>('select pid from pg_stat_activity');
    endUnproven(order, new Set(rows.map(({ pid }) => pid)));
    return { ok: true };
  });
}

/**
 * Ends the processes of clients that have not proven who they are: they were begun under the rules
 * of before, and no table names them.
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

/** When the settings were read that a new connection is under, as the server writes it. */
function readAt(admin: AdminPlace): Promise<string> {
  return asAdmin(admin, 'postgres', async (client) => {
    const { rows } = await client.query<{ at: string }>('select pg_conf_load_time()::text as at');
    return rows[0]?.at ?? '';
  });
}

function failed(reason: string): DatabaseEnd {
  return { ok: false, reason, isFinal: false };
}
