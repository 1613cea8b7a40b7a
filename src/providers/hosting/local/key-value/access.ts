import { SECOND_MS } from '../../../../domain/common/time.ts';
import type { DatabaseEnd } from '../../../../domain/hosting/database-host.ts';
import { ownsPort } from '../../../../system/ports.ts';
import type { Keeper } from '../keeper.ts';
import { askAsAdmin } from './admin.ts';
import type { Kept } from './place.ts';
import { type HostedKeyValue, isAllowedHere, usersOf } from './settings.ts';

/** How long a server blocked by a tenant's script is retried, in milliseconds. */
const BUSY_MS = 30 * SECOND_MS;
/** Delay between retries at a busy server, in milliseconds. */
const LOOK_MS = 200;

/** The run of a server whose access is to be changed. */
export interface AccessRun {
  readonly keeper: Keeper;
  readonly name: string;
  readonly kept: Kept;
  readonly signal: AbortSignal;
}

/**
 * Opens or closes the external address of a running server according to its allowlist. Closing also
 * kills the connections of the external user. Data and other connections stay. Idempotent.
 */
export async function takeAccess(run: AccessRun, database: HostedKeyValue): Promise<DatabaseEnd> {
  const { name } = usersOf(database).external;
  const isOpen = isAllowedHere(database.record.ipAllowList);
  const orders = [
    `ACL SETUSER ${name} ${isOpen ? 'on' : 'off'}`,
    ...(isOpen ? [] : [`CLIENT KILL USER ${name}`]),
  ];
  for (const order of orders) {
    const said = await askUnlessBusy(run, order);
    if (!/^[+:]/.test(said)) {
      return { ok: false, reason: `it rejected its allowlist: ${said}`, isFinal: false };
    }
  }
  return { ok: true };
}

async function askUnlessBusy(
  { keeper, name, kept, signal }: AccessRun,
  order: string,
): Promise<string> {
  const end = keeper.now() + BUSY_MS;
  for (;;) {
    // The password must not be sent to another process on this port.
    if (!ownsPort(keeper.pids(name), kept.port)) return `it does not listen on port ${kept.port}`;
    const said = await askAsAdmin(kept, order);
    if (!said.startsWith('-BUSY') || keeper.now() >= end) return said;
    await keeper.pause(LOOK_MS, signal);
  }
}
