import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { BranchPoller } from '../../actors/hosting/branch-poller.ts';
import { databaseKind } from '../../actors/hosting/definitions/database.ts';
import { instanceKind } from '../../actors/hosting/definitions/instance.ts';
import { serviceKind } from '../../actors/hosting/definitions/service.ts';
import { DiskLevels } from '../../actors/hosting/disk-levels.ts';
import { HistoryProjector } from '../../actors/hosting/history-projector.ts';
import { defineHostingActors } from '../../actors/hosting/hosting-definitions.ts';
import { HostingDirectory, serviceContext } from '../../actors/hosting/hosting-directory.ts';
import { createLocalDatabases } from '../../actors/hosting/local-databases.ts';
import { createLocalProvider } from '../../actors/hosting/local-provider.ts';
import type { LocalProviderDeps } from '../../actors/hosting/local-provider-deps.ts';
import { reconcile } from '../../actors/hosting/reconcile.ts';
import { toAppError } from '../../domain/common/error.ts';
import { HOUR_MS } from '../../domain/common/time.ts';
import type { DatabaseHosts } from '../../domain/hosting/database-host.ts';
import { type DiskAmount, databaseDiskLimit, serviceDiskLimit } from '../../domain/hosting/disk.ts';
import type { HostingProvider } from '../../domain/hosting/hosting.ts';
import { kindOfId } from '../../domain/hosting/ids.ts';
import { parsePostgresLimits } from '../../domain/hosting/plans.ts';
import type { RequestRouter } from '../../domain/hosting/routes.ts';
import { activeStateIds } from '../../machines/graph/machine-graph.ts';
import { usesCapacity } from '../../machines/hosting/service/context.ts';
import type { MachineSize, PlanInUse } from '../../providers/hosting/local/capacity.ts';
import type { DiskWatchParts } from '../../providers/hosting/local/disk/disk-watch.ts';
import { DiskWatch } from '../../providers/hosting/local/disk/disk-watch.ts';
import type { LocalSources } from '../../providers/hosting/local/git/source-roots.ts';
import { openKeyValueHost } from '../../providers/hosting/local/key-value/key-value-host.ts';
import { keyValueLimits } from '../../providers/hosting/local/key-value/settings.ts';
import type { LocalHost } from '../../providers/hosting/local/local-host.ts';
import { openLocalHost } from '../../providers/hosting/local/local-host.ts';
import { countClients } from '../../providers/hosting/local/postgres/backends.ts';
import { openPostgresHost } from '../../providers/hosting/local/postgres/open-postgres.ts';
import { getPlanLimits } from '../../providers/hosting/local/run/program-order.ts';
import { LogTail } from '../../providers/hosting/local/telemetry/log-tail.ts';
import { Sampler } from '../../providers/hosting/local/telemetry/sampler.ts';
import type { ReachedRange } from '../../providers/hosting/settings.ts';
import type { EngineSetup } from '../../runtime/engine/engine.ts';
import { isOfKind } from '../../runtime/engine/typed-actors.ts';
import type { ActorEngine } from '../../runtime/engine/types.ts';

const DATABASES_MAX = 1_000;

/** Interval of the search for unused files, in milliseconds. */
const SWEEP_MS = HOUR_MS;

type Shared = Pick<
  LocalProviderDeps,
  'history' | 'logs' | 'metrics' | 'sealer' | 'clock' | 'random' | 'workspaces' | 'urlOf' | 'pageOf'
>;

/** The dependencies of hosting on this machine. */
export interface LocalHostingDeps extends Shared {
  /** The folder of all its files, inside the data directory. */
  readonly folder: string;
  /** The folder of local sources, with the names that all workspaces share. */
  readonly sources?: Omit<LocalSources, 'workspaces'>;
  readonly trustsRepositories: boolean;
  /**
   * Networks that programs may reach beside the public internet and their own. None when absent.
   */
  readonly reach?: readonly ReachedRange[];
  /** Routes requests to running services. Absent in tests of other parts. */
  readonly router?: RequestRouter;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly size?: MachineSize;
  /** Interval of branch checks, in milliseconds. Default: 15 seconds. */
  readonly branchCheckMs?: number;
  /** The folder of downloaded programs, instead of one inside `folder`. */
  readonly programs?: string;
  /** Replaces the database hosts of this machine. `undefined` disables one. */
  readonly databaseHosts?: DatabaseHosts;
  /** Disk limits that replace those of a production machine. */
  readonly disk?: DiskOptions;
  /** Receives one line of text for the operator. */
  readonly notice: (line: string) => void;
}

/** The running hosting service. */
export interface RunningHosting {
  readonly isolation: LocalHost['isolation'];
  readonly provider: HostingProvider;
  /** Sends the current routes to the router. */
  refreshRoutes(): Promise<void>;
  /** Returns the ids of services that are not suspended and accept requests. */
  readonly served: () => Promise<readonly string[]>;
  /**
   * Disconnects from everything. Call it before the engine is closed. Programs continue, and the
   * next start takes them over.
   */
  stop(): Promise<void>;
}

/**
 * Opens hosting on this machine, and takes over running programs.
 *
 * @throws {AppError} `NOT_CONFIGURED` with what the machine lacks.
 */
export async function openLocalHosting(
  { engine, define }: EngineSetup,
  parts: LocalHostingDeps,
): Promise<RunningHosting> {
  const { folder, clock, sealer } = parts;
  const closing = new AbortController();
  const serviceOf = async (id: string) => serviceContext(await engine.view(id));
  const { sources, workspaces, trustsRepositories, env, router, reach } = parts;
  const size = parts.size === undefined ? {} : { size: parts.size };
  const taken = async (except: string) => [
    ...(await serviceReservations(engine, except)),
    ...(await databaseReservations(engine, except)),
  ];
  const host = openLocalHost({
    folder: join(folder, 'local'),
    trustsRepositories,
    env,
    clock,
    ...(sources === undefined ? {} : { sources: { ...sources, workspaces } }),
    ...(router === undefined ? {} : { router }),
    ...(reach === undefined ? {} : { reach }),
    ...size,
    plansInUse: taken,
    token: randomUUID,
    closing: closing.signal,
  });
  const programs = parts.programs ?? join(folder, 'programs');
  const localHosts = {
    postgres: openPostgresHost({ host, programs, env }),
    keyValue: openKeyValueHost({ ...host.parts, plansInUse: taken, ...size }),
  };
  const hosts = { ...localHosts, ...parts.databaseHosts };
  const databases = createLocalDatabases({ ...parts, engine, hosts });
  define(...defineHostingActors({ host, hosts, sealer, databases, serviceOf }));
  return startHosting(parts, { engine, host, databases, closing });
}

interface RunContext {
  readonly engine: ActorEngine;
  readonly host: LocalHost;
  readonly databases: ReturnType<typeof createLocalDatabases>;
  readonly closing: AbortController;
}

async function startHosting(
  parts: LocalHostingDeps,
  { engine, host, databases, closing }: RunContext,
): Promise<RunningHosting> {
  const { history, logs, metrics, clock, random, notice, branchCheckMs } = parts;
  const directory = await HostingDirectory.start(engine);
  const projector = new HistoryProjector({ engine, history, clock, notice });
  await projector.start();
  await host.refreshRoutes();
  const reconcileOnce = coalesceRuns(() => reconcile(engine, host));
  await reconcileOnce();
  const stopWatch = engine.watchList(({ before, after }) => {
    const kind = (after ?? before)?.kind;
    if (kind !== serviceKind.kind && kind !== instanceKind.kind) return;
    reconcileOnce().catch((thrown: unknown) => notice(`hosting: ${toAppError(thrown).message}`));
  });
  const tail = new LogTail({ runner: host.runner, logs, clock, notice });
  const pace = branchCheckMs === undefined ? {} : { intervalMs: branchCheckMs };
  const branches = new BranchPoller({ engine, directory, host, clock, random, ...pace });
  let cancelSweep: () => void = () => undefined;
  const scheduleSweep = (): void => {
    cancelSweep = clock.at(clock.now() + SWEEP_MS, () => {
      host.sweep((name) => tail.isForwarded(name));
      scheduleSweep();
    });
  };
  scheduleSweep();
  const { bounds = {}, capOf = (id: string) => readDiskCap(engine, directory, id) } =
    parts.disk ?? {};
  const levels = new DiskLevels({ engine, directory, clock });
  const disk = new DiskWatch({
    ...host.parts,
    capOf,
    notice,
    bounds,
    listIdle: () => levels.high(),
    onMeasured: (id, usage) => levels.recordMeasurement(id, usage),
  });
  const sampler = new Sampler({
    runner: host.runner,
    metrics,
    clock,
    connections: countConnections,
  });
  const running = { engine, host, directory, databases, projector };
  const provider = createLocalProvider({ ...parts, ...running, reconcile: reconcileOnce });
  return {
    provider,
    isolation: host.isolation,
    refreshRoutes: () => host.refreshRoutes(),
    served: () => listServedIds(directory),
    stop: async () => {
      closing.abort(new Error('the server is shutting down'));
      stopWatch();
      cancelSweep();
      await branches.stop();
      sampler.stop();
      await disk.stop();
      await tail.forwardAll();
      await tail.stop();
      await projector.stop();
      await reconcileOnce().catch(() => undefined);
      directory.close();
    },
  };
}

async function listServedIds(directory: HostingDirectory): Promise<readonly string[]> {
  const rows = await directory.services();
  const all = await Promise.all(rows.map(({ id }) => directory.service(id)));
  return all.flatMap(({ view, context: { isServing, service } }) =>
    isServing && service.type !== 'cron_job' ? [view.id] : [],
  );
}

function countConnections(resource: string, pids: readonly number[]): number | undefined {
  return kindOfId(resource) === 'postgres' ? countClients(pids) : undefined;
}

/** Runs one task at a time. Calls during a run share the next one. */
function coalesceRuns(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  return () => {
    if (running === undefined) {
      running = work().finally(() => {
        running = undefined;
      });
      return running;
    }
    next ??= running
      .catch(() => undefined)
      .then(() => {
        next = undefined;
        running = work().finally(() => {
          running = undefined;
        });
        return running;
      });
    return next;
  };
}

/**
 * Returns the plans of all running or starting instances, except those of one service. Failed and
 * suspended services reserve nothing: their next deploy checks the capacity again.
 */
async function serviceReservations(
  engine: ActorEngine,
  except: string,
): Promise<readonly PlanInUse[]> {
  const { rows } = await engine.list({ kind: serviceKind.kind, limit: 1_000 });
  const found: PlanInUse[] = [];
  for (const { id, state } of rows) {
    if (id === except || state !== 'active') continue;
    const context = serviceContext(await engine.view(id));
    const { service } = context;
    if (service.type !== 'web_service' || !usesCapacity(context)) continue;
    const { name, ownerId, serviceDetails } = service;
    const holder = { id, name, ownerId };
    for (let at = 0; at < serviceDetails.numInstances; at += 1) {
      found.push({ ...getPlanLimits(service), holder });
    }
  }
  return found;
}

/**
 * Returns the resources that the plans of active databases reserve, except those of one database.
 */
async function databaseReservations(
  engine: ActorEngine,
  except: string,
): Promise<readonly PlanInUse[]> {
  const { rows } = await engine.list({ kind: databaseKind.kind, limit: DATABASES_MAX });
  const others = rows.filter(({ id, state }) => id !== except && state !== 'removed');
  const databases = engine.of(databaseKind);
  const views = await Promise.all(others.map(({ id }) => databases.view(id)));
  return views.flatMap(({ context, value }) => {
    if (activeStateIds(value)[0] === 'suspended') return [];
    const { record } = context;
    const limits =
      'options' in record ? keyValueLimits(record.plan) : parsePostgresLimits(record.plan);
    const { id, name, ownerId } = record;
    return [{ ...limits, holder: { id, name, ownerId } }];
  });
}

/** Overrides of disk limits for tests. */
export type DiskOptions = Partial<Pick<DiskWatchParts, 'bounds' | 'capOf'>>;

/** Returns the disk limit of a service or database, by its current plan. */
async function readDiskCap(
  engine: ActorEngine,
  directory: HostingDirectory,
  id: string,
): Promise<DiskAmount | undefined> {
  const view = await engine.view(id).catch(() => undefined);
  if (view === undefined) return undefined;
  if (isOfKind(databaseKind, view)) return databaseDiskLimit(view.context.record);
  const found = await directory.service(id).catch(() => undefined);
  return found === undefined ? undefined : serviceDiskLimit(found.context.service);
}
