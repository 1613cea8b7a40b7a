import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { BranchWatch } from '../../actors/hosting/branch-watch.ts';
import { databaseDefinition } from '../../actors/hosting/database-definition.ts';
import {
  HOSTING_KINDS,
  type HostingActorParts,
  hostingDefinitions,
} from '../../actors/hosting/definitions.ts';
import { HostingDirectory, serviceContext } from '../../actors/hosting/directory.ts';
import { DiskLevels } from '../../actors/hosting/disk-levels.ts';
import { HistoryKeeper } from '../../actors/hosting/history-keeper.ts';
import { localDatabases } from '../../actors/hosting/local-databases.ts';
import type { LocalProviderParts } from '../../actors/hosting/local-parts.ts';
import { localProvider } from '../../actors/hosting/local-provider.ts';
import { reconcile } from '../../actors/hosting/reconcile.ts';
import { resolveEnv } from '../../actors/hosting/resolve-env.ts';
import { toAppError } from '../../domain/common/error.ts';
import { HOUR_MS } from '../../domain/common/time.ts';
import type { DatabaseHosts } from '../../domain/hosting/database-host.ts';
import type { HostingProvider } from '../../domain/hosting/hosting.ts';
import { kindOfId } from '../../domain/hosting/ids.ts';
import type { RequestRouter } from '../../domain/hosting/request-router.ts';
import { holdsRoom } from '../../machines/hosting/service-facts.ts';
import type { MachineSize, TakenPlan } from '../../providers/hosting/local/capacity.ts';
import { DiskWatch } from '../../providers/hosting/local/disk/disk-watch.ts';
import type { LocalSources } from '../../providers/hosting/local/git/source-roots.ts';
import { openKeyValueHost } from '../../providers/hosting/local/key-value/key-value-host.ts';
import { type LocalHost, openLocalHost } from '../../providers/hosting/local/local-host.ts';
import { servedClients } from '../../providers/hosting/local/postgres/backends.ts';
import { openPostgres } from '../../providers/hosting/local/postgres/open-postgres.ts';
import { limitsOf } from '../../providers/hosting/local/programs.ts';
import { LogTail } from '../../providers/hosting/local/telemetry/log-tail.ts';
import { Sampler } from '../../providers/hosting/local/telemetry/sampler.ts';
import type { ReachedRange } from '../../providers/hosting/settings.ts';
import type { ActorEngine, Definition } from '../../runtime/engine/types.ts';
import { type DiskOptions, diskCapOf } from './disk-caps.ts';
import { takenByDatabases } from './taken-by-databases.ts';

/** Interval of the search for unused files, in milliseconds. */
const SWEEP_MS = HOUR_MS;

type Shared = Pick<
  LocalProviderParts,
  'history' | 'logs' | 'metrics' | 'sealer' | 'clock' | 'random' | 'workspaces' | 'urlOf' | 'pageOf'
>;

/** The dependencies of hosting on this machine. */
export interface LocalHostingParts extends Shared {
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
  readonly branchLookMs?: number;
  /** The folder of downloaded programs, instead of one inside `folder`. */
  readonly programs?: string;
  /** Replaces the database hosts of this machine. `undefined` disables one. */
  readonly databaseHosts?: DatabaseHosts;
  /** Disk limits that replace those of a production machine. */
  readonly disk?: DiskOptions;
  /** Receives one line of text for the operator. */
  readonly notice: (line: string) => void;
}

/** Hosting on this machine before its engine runs. */
export interface PreparedHosting {
  readonly definitions: readonly Definition[];
  readonly isolation: LocalHost['isolation'];
  /** Takes over running programs. */
  open(engine: ActorEngine): Promise<RunningHosting>;
}

/** The running hosting service. */
export interface RunningHosting {
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
 * Prepares hosting on this machine.
 *
 * @throws {AppError} `NOT_CONFIGURED` with what the machine lacks.
 */
export function prepareLocalHosting(parts: LocalHostingParts): PreparedHosting {
  const { folder, clock, sealer } = parts;
  const closing = new AbortController();
  let begin: (engine: ActorEngine) => void = () => undefined;
  // Effects of the last process may start before the engine is available.
  const begun = new Promise<ActorEngine>((resolve) => {
    begin = resolve;
  });
  const serviceOf = async (id: string) => serviceContext(await (await begun).view(id));
  const { sources, workspaces, trustsRepositories, env, router, reach } = parts;
  const size = parts.size === undefined ? {} : { size: parts.size };
  const taken = async (except: string) => {
    const engine = await begun;
    return [...(await takenBy(engine, except)), ...(await takenByDatabases(engine, except))];
  };
  const host = openLocalHost({
    ...{ folder: join(folder, 'local'), trustsRepositories, env, clock },
    ...(sources === undefined ? {} : { sources: { ...sources, workspaces } }),
    ...(router === undefined ? {} : { router }),
    ...(reach === undefined ? {} : { reach }),
    ...{ ...size, taken, token: randomUUID, closing: closing.signal },
  });
  const programs = parts.programs ?? join(folder, 'programs');
  const here = {
    postgres: openPostgres({ host, programs, env }),
    keyValue: openKeyValueHost({ ...host.parts, taken, ...size }),
  };
  const hosts = { ...here, ...parts.databaseHosts };
  const resolve: HostingActorParts['resolveEnv'] = async (service, vars) =>
    resolveEnv(localDatabases({ ...parts, engine: await begun, hosts }), service, vars);
  return {
    definitions: [
      ...hostingDefinitions({ host, sealer, serviceOf, resolveEnv: resolve }),
      databaseDefinition({ hosts, sealer }),
    ],
    isolation: host.isolation,
    open: async (engine) => {
      begin(engine);
      return run(parts, { engine, host, hosts, closing });
    },
  };
}

interface Opened {
  readonly engine: ActorEngine;
  readonly host: LocalHost;
  readonly hosts: DatabaseHosts;
  readonly closing: AbortController;
}

async function run(
  parts: LocalHostingParts,
  { engine, host, hosts, closing }: Opened,
): Promise<RunningHosting> {
  const { history, logs, metrics, clock, random, notice, branchLookMs } = parts;
  const directory = await HostingDirectory.open(engine);
  const keeper = new HistoryKeeper({ engine, history, clock, notice });
  await keeper.start();
  await host.refreshRoutes();
  const bringAbout = inOneLine(() => reconcile(engine, host));
  await bringAbout();
  const endWatch = engine.watchList(({ before, after }) => {
    const kind = (after ?? before)?.kind;
    if (kind !== HOSTING_KINDS.service && kind !== HOSTING_KINDS.instance) return;
    bringAbout().catch((thrown: unknown) => notice(`hosting: ${toAppError(thrown).message}`));
  });
  const tail = new LogTail({ keeper: host.keeper, logs, clock, notice });
  const look = branchLookMs === undefined ? {} : { lookMs: branchLookMs };
  const branches = new BranchWatch({ engine, directory, host, clock, random, ...look });
  let endSweep: () => void = () => undefined;
  const sweepLater = (): void => {
    endSweep = clock.at(clock.now() + SWEEP_MS, () => {
      host.sweep((name) => tail.isTaken(name));
      sweepLater();
    });
  };
  sweepLater();
  const { bounds = {}, capOf = (id: string) => diskCapOf(engine, directory, id) } =
    parts.disk ?? {};
  const levels = new DiskLevels({ engine, directory, clock });
  const disk = new DiskWatch({
    ...{ ...host.parts, capOf, notice, bounds },
    atRest: () => levels.high(),
    measured: (id, usage) => levels.measured(id, usage),
  });
  const sampler = new Sampler({ keeper: host.keeper, metrics, clock, connections });
  return {
    provider: localProvider({
      ...{ ...parts, engine, host, directory, keeper },
      databases: localDatabases({ ...parts, engine, hosts }),
      reconcile: bringAbout,
    }),
    refreshRoutes: () => host.refreshRoutes(),
    served: () => servedIds(directory),
    stop: async () => {
      closing.abort(new Error('the server is shutting down'));
      endWatch();
      endSweep();
      await branches.stop();
      sampler.stop();
      await disk.stop();
      await tail.takeAll();
      await tail.stop();
      await keeper.stop();
      await bringAbout().catch(() => undefined);
      directory.close();
    },
  };
}

async function servedIds(directory: HostingDirectory): Promise<readonly string[]> {
  const rows = await directory.services();
  const all = await Promise.all(rows.map(({ id }) => directory.service(id)));
  return all.flatMap(({ view, context: { isServing, service } }) =>
    isServing && service.type !== 'cron_job' ? [view.id] : [],
  );
}

function connections(resource: string, pids: readonly number[]): number | undefined {
  return kindOfId(resource) === 'postgres' ? servedClients(pids) : undefined;
}

/** Runs one task at a time. Calls during a run share the next one. */
function inOneLine(work: () => Promise<void>): () => Promise<void> {
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
async function takenBy(engine: ActorEngine, except: string): Promise<readonly TakenPlan[]> {
  const { rows } = await engine.list({ kind: HOSTING_KINDS.service, limit: 1_000 });
  const found: TakenPlan[] = [];
  for (const { id, state } of rows) {
    if (id === except || state !== 'active') continue;
    const context = serviceContext(await engine.view(id));
    const { service } = context;
    if (service.type !== 'web_service' || !holdsRoom(context)) continue;
    const { name, ownerId, serviceDetails } = service;
    const holder = { id, name, ownerId };
    for (let at = 0; at < serviceDetails.numInstances; at += 1) {
      found.push({ ...limitsOf(service), holder });
    }
  }
  return found;
}
