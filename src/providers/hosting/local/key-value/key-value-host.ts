import { chmodSync, chownSync } from 'node:fs';
import { AppError } from '../../../../domain/common/error.ts';
import { MINUTE_MS } from '../../../../domain/common/time.ts';
import type { DatabaseEnd, DatabaseHost } from '../../../../domain/hosting/database-host.ts';
import { KEY_VALUE_PLANS, type PlanLimits } from '../../../../domain/hosting/plans.ts';
import type { KeyValue } from '../../../../domain/hosting/records.ts';
import { ownsPort } from '../../../../system/ports.ts';
import { writeWhole } from '../../../sandbox/whole.ts';
import {
  type MachineSize,
  machineSize,
  refuseFullDisk,
  refuseTooLarge,
  type TakenPlan,
} from '../capacity.ts';
import { inTurnById } from '../in-turn.ts';
import type { Keeper } from '../keeper.ts';
import { giveToTenant, type HostParts } from '../programs.ts';
import { takeAccess } from './access.ts';
import { askAsAdmin } from './admin.ts';
import {
  type Kept,
  keyValuePlace,
  makePlace,
  readKept,
  readTaken,
  removePlace,
  writeTaken,
} from './place.ts';
import {
  type FoundServer,
  fetchedServers,
  findServer,
  keyValueAbility,
  type ServerProgram,
  serverCommand,
} from './program.ts';
import { currentRun, endOf, nextRun, runsOf } from './runs.ts';
import { configOf, type HostedKeyValue, keyValueLimits, settingsOf, usersOf } from './settings.ts';

/** Timeout for a server to load its data and accept connections, in milliseconds. */
const START_MS = 15 * MINUTE_MS;
/** Timeout for a server to save its data when it is stopped, in milliseconds. */
const STOP_MS = 5 * MINUTE_MS;
/** Interval between checks of a starting server, in milliseconds. */
const LOOK_MS = 100;

/** Responses of a running server, even if a script blocks it or a snapshot failed. */
const READY = /^(\+PONG|-BUSY|-MISCONF)/;

/** Dependencies of the Key Value host. */
export interface KeyValueHostParts extends HostParts {
  /** Returns the plans in use by everything except the given instance. */
  readonly taken: (except: string) => Promise<readonly TakenPlan[]>;
  readonly size?: MachineSize;
  /** Finds a server program. By default it looks on the machine, then among downloaded ones. */
  readonly find?: () => Promise<FoundServer>;
  /** Timeout for a server to accept connections, in milliseconds. Default 15 minutes. */
  readonly startMs?: number;
}

/**
 * Opens hosting of Key Value instances on this machine. Each instance is a separate server with its
 * own user and a permanent port on 127.0.0.1. Servers outlive the daemon.
 */
export function openKeyValueHost(parts: KeyValueHostParts): DatabaseHost<KeyValue> {
  const { layout, keeper, sandbox, size = machineSize() } = parts;
  const { find = () => findServer(sandbox, fetchedServers(layout.root)) } = parts;
  const inTurn = inTurnById();
  return {
    abilities: async () => ({ '': keyValueAbility(await find()) }),
    admit: async ({ id, plan, ownerId }) => {
      const found = await find();
      if ('why' in found) throw new AppError('NOT_CONFIGURED', { message: found.why });
      refuseFullDisk(layout.root);
      const wanted = { ...keyValueLimits(plan), name: plan, count: 1, ownerId };
      refuseTooLarge(wanted, await parts.taken(id), { ...size, plans: PLANS });
    },
    make: ({ record: { id } }) =>
      inTurn(id, async () => {
        await makePlace(layout, id);
        await giveToTenant(parts, id, [keyValuePlace(layout, id).data]);
        return { ok: true };
      }),
    start: (database, signal) =>
      inTurn(database.record.id, () => start({ ...parts, find }, database, signal)),
    watch: async (database, signal) => {
      const name = currentRun(keeper, database.record.id);
      if (name === undefined) return passing('it is not running');
      // A change made while the server started could not stop it.
      if (!isCurrent(parts, database)) return passing('its settings have changed');
      return endOf(keeper, name, await keeper.ended(name, signal));
    },
    reload: (database, signal) => inTurn(database.record.id, () => reload(parts, database, signal)),
    stop: ({ record: { id } }) => inTurn(id, () => stop(keeper, id, STOP_MS)),
    erase: ({ record: { id } }) =>
      inTurn(id, async () => {
        await stop(keeper, id, 0);
        for (const name of runsOf(keeper, id)) keeper.forget(name);
        removePlace(layout, id);
      }),
    connection: (database) => {
      const kept = readKept(layout, database.record.id);
      if (kept === undefined) {
        const message = 'The instance has not been created yet.';
        throw new AppError('HOST_UNAVAILABLE', { message });
      }
      const { internal, external } = usersOf(database);
      const urlOf = ({ name, password }: typeof internal): string =>
        `redis://${name}:${encodeURIComponent(password)}@127.0.0.1:${kept.port}`;
      return { internal: urlOf(internal), external: urlOf(external) };
    },
  };
}

/** Process limits of each plan. */
const PLANS: Readonly<Record<string, PlanLimits>> = Object.fromEntries(
  (Object.keys(KEY_VALUE_PLANS) as KeyValue['plan'][]).map((plan) => [plan, keyValueLimits(plan)]),
);

/** Adopts a running server if its settings are current, or starts a new one. */
async function start(
  parts: KeyValueHostParts & { readonly find: () => Promise<FoundServer> },
  database: HostedKeyValue,
  signal: AbortSignal,
): Promise<DatabaseEnd> {
  const { layout, keeper, find } = parts;
  const { id } = database.record;
  const kept = readKept(layout, id);
  if (kept === undefined) return final('its files are missing');
  const name = currentRun(keeper, id);
  const isRunning = name !== undefined && keeper.look(name).state === 'running';
  if (isRunning && isCurrent(parts, database)) {
    const up = await untilReady(parts, { name, kept, signal });
    const hasAccess = readTaken(layout, id)?.isOpen === settingsOf(database).isOpen;
    return up.ok && !hasAccess ? reload(parts, database, signal) : up;
  }
  await stop(keeper, id, STOP_MS);
  const found = await find();
  if ('why' in found) return final(found.why);
  // The instance may have been erased in the meantime.
  signal.throwIfAborted();
  return untilReady(parts, { name: await begin(parts, database, found.server), kept, signal });
}

/** Applies the allowlist of the record to a running server. */
async function reload(
  parts: KeyValueHostParts,
  database: HostedKeyValue,
  signal: AbortSignal,
): Promise<DatabaseEnd> {
  const { layout, keeper } = parts;
  const { id } = database.record;
  const [name, kept] = [currentRun(keeper, id), readKept(layout, id)];
  if (name === undefined || kept === undefined || keeper.look(name).state !== 'running') {
    return passing('it is not running');
  }
  if (!isCurrent(parts, database)) return passing('its settings have changed');
  const end = await takeAccess({ keeper, name, kept, signal }, database);
  if (end.ok) writeTaken(layout, id, settingsOf(database));
  return end;
}

async function stop(keeper: Keeper, id: string, graceMs: number): Promise<void> {
  for (const name of runsOf(keeper, id)) await keeper.stop(name, graceMs);
}

/** Returns whether a server was started with the current plan and options of its record. */
function isCurrent({ layout }: KeyValueHostParts, database: HostedKeyValue): boolean {
  const { id } = database.record;
  return readTaken(layout, id)?.fixed === settingsOf(database).fixed;
}

/** Writes the settings and starts a run with them. */
async function begin(
  parts: KeyValueHostParts,
  database: HostedKeyValue,
  server: ServerProgram,
): Promise<string> {
  const { layout, keeper, sandbox, network } = parts;
  const { id, plan, ownerId } = database.record;
  const kept = readKept(layout, id);
  if (kept === undefined) throw new AppError('INTERNAL', { message: `${id} has no files` });
  const { folder, config } = keyValuePlace(layout, id);
  network.admit(id, { workspaceId: ownerId, isStore: true });
  const uid = layout.uidOf(id);
  writeWhole(config, configOf(database, kept));
  // The server's user can read but not write it.
  if (sandbox.level === 'user') chownSync(config, 0, uid);
  chmodSync(config, 0o440);
  writeTaken(layout, id, settingsOf(database));
  const cache = server.home ?? layout.cache(id);
  const command = `exec env ${serverCommand(server, sandbox.homeOf(cache))} ./server.conf`;
  const name = nextRun(keeper, id);
  await keeper.begin(name, {
    ...{ service: id, type: 'app', instance: id, port: kept.port },
    limits: keyValueLimits(plan),
    argv: sandbox.wrap({ folder, cache, uid, command, hidden: layout.root }),
    env: { PATH: sandbox.path },
  });
  return name;
}

/** Polls a server until it accepts commands, has exited, or has timed out. */
async function untilReady(
  { keeper, startMs = START_MS }: KeyValueHostParts,
  o: { readonly name: string; readonly kept: Kept; readonly signal: AbortSignal },
): Promise<DatabaseEnd> {
  const end = keeper.now() + startMs;
  for (;;) {
    const now = keeper.look(o.name);
    if (now.state !== 'running') return endOf(keeper, o.name, now);
    // The password must not be sent to another process on this port.
    const isUp = ownsPort(keeper.pids(o.name), o.kept.port);
    const said = isUp
      ? await askAsAdmin(o.kept, 'PING')
      : `it does not listen on port ${o.kept.port}`;
    if (READY.test(said)) return { ok: true };
    if (keeper.now() >= end) return passing(`it did not start in time: ${said}`);
    await keeper.pause(LOOK_MS, o.signal);
  }
}

function final(reason: string): DatabaseEnd {
  return { ok: false, reason, isFinal: true };
}

function passing(reason: string): DatabaseEnd {
  return { ok: false, reason, isFinal: false };
}
