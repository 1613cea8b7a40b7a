import { SECOND_MS } from '../../../../domain/common/time.ts';
import type { DatabaseEnd } from '../../../../domain/hosting/database-host.ts';
import { ownsPort } from '../../../../system/ports.ts';
import type { Keeper } from '../keeper.ts';
import { askAsAdmin } from './admin.ts';
import type { Kept } from './place.ts';
import { type HostedKeyValue, isAllowedHere, usersOf } from './settings.ts';

/** Longest time that a tenant's script may keep a server from an order, in milliseconds. */
const BUSY_MS = 30 * SECOND_MS;
/** Time between two tries at a server that is busy, in milliseconds. */
const LOOK_MS = 200;

/** The run of a server that is to take an order. */
export interface AccessRun {
  readonly keeper: Keeper;
  readonly name: string;
  readonly kept: Kept;
  readonly signal: AbortSignal;
}

/**
 * Opens or closes the external address of a server that runs, as its allowlist says, and ends the
 * connections that came over a closed one. Data and all other connections stay. Safe to repeat.
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
      return { ok: false, reason: `it did not take its allowlist: ${said}`, isFinal: false };
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
    // Nobody else hears the password.
    if (!ownsPort(keeper.pids(name), kept.port)) return `nothing of it listens on ${kept.port}`;
    const said = await askAsAdmin(kept, order);
    if (!said.startsWith('-BUSY') || keeper.now() >= end) return said;
    await keeper.pause(LOOK_MS, signal);
  }
}
