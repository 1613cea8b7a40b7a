import { chmodSync, chownSync } from 'node:fs';
import { AppError } from '../../../../domain/common/error.ts';
import { MINUTE_MS } from '../../../../domain/common/time.ts';
import type { DatabaseHost, DatabaseOutcome } from '../../../../domain/hosting/database-host.ts';
import { KEY_VALUE_PLANS, type PlanLimits } from '../../../../domain/hosting/plans.ts';
import type { KeyValue } from '../../../../domain/hosting/records.ts';
import { isListening } from '../../../../system/ports.ts';
import { writeAtomically } from '../../../sandbox/write-atomically.ts';
import {
  assertDiskSpace,
  assertPlanFits,
  getMachineSize,
  type MachineSize,
  type PlanInUse,
} from '../capacity.ts';
import { createKeyedMutex } from '../keyed-mutex.ts';
import { giveToTenant, type HostParts } from '../run/program-order.ts';
import type { Runner } from '../run/runner.ts';
import { applyKeyValueAccess } from './access.ts';
import { runAdminCommand } from './admin.ts';
import { describeEnd } from './describe-end.ts';
import {
  createInstance,
  getKeyValuePaths,
  type InstanceData,
  readAppliedSettings,
  readInstanceData,
  removeInstance,
  writeAppliedSettings,
} from './instance-files.ts';
import {
  type FoundServer,
  findServer,
  getDownloadFolder,
  type ServerProgram,
  serverCommand,
  toKeyValueAbility,
} from './program.ts';
import {
  deriveUsers,
  formatConfig,
  type HostedKeyValue,
  keyValueLimits,
  requiredSettings,
} from './settings.ts';

/** Timeout for a server to load its data and accept connections, in milliseconds. */
const START_MS = 15 * MINUTE_MS;
/** Timeout for a server to save its data when it is stopped, in milliseconds. */
const STOP_MS = 5 * MINUTE_MS;
/** Interval between checks of a starting server, in milliseconds. */
const POLL_MS = 100;

/** Responses of a running server, even if a script blocks it or a snapshot failed. */
const READY_RESPONSE = /^(\+PONG|-BUSY|-MISCONF)/;

/** Dependencies of the Key Value host. */
export interface KeyValueHostParts extends HostParts {
  /** Returns the plans in use by everything except the given instance. */
  readonly plansInUse: (except: string) => Promise<readonly PlanInUse[]>;
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
  const { layout, runner, sandbox, size = getMachineSize() } = parts;
  const { find = () => findServer(sandbox, getDownloadFolder(layout.root)) } = parts;
  const runExclusively = createKeyedMutex();
  return {
    listFeatures: async () => ({ '': toKeyValueAbility(await find()) }),
    admit: async ({ id, plan, ownerId }) => {
      const found = await find();
      if ('why' in found) throw new AppError('NOT_CONFIGURED', { message: found.why });
      assertDiskSpace(layout.root);
      const wanted = { ...keyValueLimits(plan), name: plan, count: 1, ownerId };
      assertPlanFits(wanted, await parts.plansInUse(id), { ...size, plans: PLANS });
    },
    make: ({ record: { id } }) =>
      runExclusively(id, async () => {
        await createInstance(layout, id);
        await giveToTenant(parts, id, [getKeyValuePaths(layout, id).data]);
        return { ok: true };
      }),
    start: (database, signal) =>
      runExclusively(database.record.id, () => startServer({ ...parts, find }, database, signal)),
    watch: async (database, signal) => {
      const name = runner.listNumbered(runPrefix(database)).at(-1);
      if (name === undefined) return transientFailure('it is not running');
      // A change made while the server started could not stop it.
      if (!hasCurrentSettings(parts, database))
        return transientFailure('its settings have changed');
      return describeEnd(runner, name, await runner.waitForEnd(name, signal));
    },
    reload: (database, signal) =>
      runExclusively(database.record.id, () => reloadServer(parts, database, signal)),
    stop: (database) =>
      runExclusively(database.record.id, () => stopServer(runner, database, STOP_MS)),
    erase: (database) =>
      runExclusively(database.record.id, async () => {
        await stopServer(runner, database, 0);
        for (const name of runner.listNumbered(runPrefix(database))) runner.removeFiles(name);
        removeInstance(layout, database.record.id);
      }),
    connectionAddresses: (database) => {
      const kept = readInstanceData(layout, database.record.id);
      if (kept === undefined) {
        const message = 'The instance has not been created yet.';
        throw new AppError('HOST_UNAVAILABLE', { message });
      }
      const { internal, external } = deriveUsers(database);
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
async function startServer(
  parts: KeyValueHostParts & { readonly find: () => Promise<FoundServer> },
  database: HostedKeyValue,
  signal: AbortSignal,
): Promise<DatabaseOutcome> {
  const { layout, runner, find } = parts;
  const { id } = database.record;
  const kept = readInstanceData(layout, id);
  if (kept === undefined) return permanentFailure('its files are missing');
  const name = runner.listNumbered(runPrefix(database)).at(-1);
  const isRunning = name !== undefined && runner.isRunning(name);
  if (isRunning && hasCurrentSettings(parts, database)) {
    const up = await waitUntilReady(parts, { name, kept, signal });
    const hasAccess = readAppliedSettings(layout, id)?.isOpen === requiredSettings(database).isOpen;
    return up.ok && !hasAccess ? reloadServer(parts, database, signal) : up;
  }
  await stopServer(runner, database, STOP_MS);
  const found = await find();
  if ('why' in found) return permanentFailure(found.why);
  // The instance may have been erased in the meantime.
  signal.throwIfAborted();
  return waitUntilReady(parts, {
    name: await startRun(parts, database, found.server),
    kept,
    signal,
  });
}

/** Applies the allowlist of the record to a running server. */
async function reloadServer(
  parts: KeyValueHostParts,
  database: HostedKeyValue,
  signal: AbortSignal,
): Promise<DatabaseOutcome> {
  const { layout, runner } = parts;
  const { id } = database.record;
  const name = runner.listNumbered(runPrefix(database)).at(-1);
  const kept = readInstanceData(layout, id);
  if (name === undefined || kept === undefined || !runner.isRunning(name)) {
    return transientFailure('it is not running');
  }
  if (!hasCurrentSettings(parts, database)) return transientFailure('its settings have changed');
  const end = await applyKeyValueAccess({ runner, name, instanceData: kept, signal }, database);
  if (end.ok) writeAppliedSettings(layout, id, requiredSettings(database));
  return end;
}

async function stopServer(
  runner: Runner,
  database: HostedKeyValue,
  graceMs: number,
): Promise<void> {
  for (const name of runner.listNumbered(runPrefix(database))) await runner.stop(name, graceMs);
}

/** Returns the name of every run of an instance, without its number. */
function runPrefix({ record: { id } }: HostedKeyValue): string {
  return `key-value-${id}-`;
}

/** Returns whether a server was started with the current plan and options of its record. */
function hasCurrentSettings({ layout }: KeyValueHostParts, database: HostedKeyValue): boolean {
  const { id } = database.record;
  return readAppliedSettings(layout, id)?.fixed === requiredSettings(database).fixed;
}

/** Writes the settings and starts a run with them. */
async function startRun(
  parts: KeyValueHostParts,
  database: HostedKeyValue,
  server: ServerProgram,
): Promise<string> {
  const { layout, runner, sandbox, network } = parts;
  const { id, plan, ownerId } = database.record;
  const instanceData = readInstanceData(layout, id);
  if (instanceData === undefined) throw new AppError('INTERNAL', { message: `${id} has no files` });
  const { folder, config } = getKeyValuePaths(layout, id);
  network.admit(id, { workspaceId: ownerId, isStore: true });
  const uid = layout.assignUid(id);
  writeAtomically(config, formatConfig(database, instanceData));
  // The server's user can read but not write it.
  if (sandbox.level === 'user') chownSync(config, 0, uid);
  chmodSync(config, 0o440);
  writeAppliedSettings(layout, id, requiredSettings(database));
  const cache = server.home ?? layout.cache(id);
  const command = `exec env ${serverCommand(server, sandbox.homeOf(cache))} ./server.conf`;
  const name = runner.nextName(runPrefix(database));
  await runner.start(name, {
    service: id,
    type: 'app',
    instance: id,
    port: instanceData.port,
    limits: keyValueLimits(plan),
    argv: sandbox.wrap({ folder, cache, uid, command, hidden: layout.root }),
    env: { PATH: sandbox.path },
  });
  return name;
}

/** Polls a server until it accepts commands, has exited, or has timed out. */
async function waitUntilReady(
  { runner, startMs = START_MS }: KeyValueHostParts,
  o: { readonly name: string; readonly kept: InstanceData; readonly signal: AbortSignal },
): Promise<DatabaseOutcome> {
  const end = runner.now() + startMs;
  for (;;) {
    const now = runner.getState(o.name);
    if (now.state !== 'running') return describeEnd(runner, o.name, now);
    // The password must not be sent to another process on this port.
    const isUp = isListening(runner.pids(o.name), o.kept.port);
    const response = isUp
      ? await runAdminCommand(o.kept, 'PING')
      : `it does not listen on port ${o.kept.port}`;
    if (READY_RESPONSE.test(response)) return { ok: true };
    if (runner.now() >= end) return transientFailure(`it did not start in time: ${response}`);
    await runner.pause(POLL_MS, o.signal);
  }
}

function permanentFailure(reason: string): DatabaseOutcome {
  return { ok: false, reason, isFinal: true };
}

function transientFailure(reason: string): DatabaseOutcome {
  return { ok: false, reason, isFinal: false };
}
