import type { Clock } from '../../../domain/common/clock.ts';
import { AppError } from '../../../domain/common/error.ts';
import { HOUR_MS, SECOND_MS } from '../../../domain/common/time.ts';
import type { PlanLimits } from '../../../domain/hosting/plans.ts';
import type { Service } from '../../../domain/hosting/records.ts';
import type { RequestRouter } from '../../../domain/hosting/routes.ts';
import type { ServiceHost } from '../../../domain/hosting/service-host.ts';
import { type Cgroups, detectCgroups } from '../../sandbox/cgroups.ts';
import type { ReachedRange } from '../settings.ts';
import { createBuilds } from './builds.ts';
import {
  assertDiskSpace,
  assertPlanFits,
  getMachineSize,
  type MachineSize,
  type PlanInUse,
} from './capacity.ts';
import type { GitProgramParts } from './git/git-program.ts';
import type { LocalSources } from './git/source-roots.ts';
import { openGitSource } from './git-source.ts';
import { createTenantProgram } from './images/image-programs.ts';
import { createInstances, findListeningAddress, type StartTimeouts } from './instances.ts';
import type { Isolation } from './isolation.ts';
import { openLayout } from './layout.ts';
import { detectNetwork, NO_FIREWALL, openFirewall } from './network/firewall.ts';
import { removeTree } from './remove-tree.ts';
import { Routing } from './routing.ts';
import { getPlanLimits, type HostParts } from './run/program-order.ts';
import { Runner } from './run/runner.ts';
import { openSandbox } from './sandbox.ts';
import { createServing } from './serving.ts';
import { detectRuntimes, findMissingProgram } from './toolchains.ts';

/** Timeout of a run, in milliseconds; its state machine ends it earlier. */
const RUN_MS = 13 * HOUR_MS;
/** Time for a run to exit after SIGTERM, in milliseconds. */
const GRACE_MS = 30 * SECOND_MS;

/**
 * How long the files of an ended run are kept, in milliseconds, because its result may be
 * requested.
 */
const RUN_KEPT_MS = 24 * HOUR_MS;

/** Domain after the slug of a service; browsers resolve it to this machine (RFC 6761). */
export const HOST_DOMAIN = 'localhost';

/** Dependencies of the local host. */
export interface LocalHostParts {
  /** Folder of all its data. */
  readonly folder: string;
  /** Allowed local sources; none by default. */
  readonly sources?: LocalSources;
  readonly trustsRepositories: boolean;
  /**
   * Ranges that programs may reach in addition to the public internet and their own; none by
   * default.
   */
  readonly reach?: readonly ReachedRange[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly token: () => string;
  /** Aborts when the daemon stops; running programs are left for the next daemon. */
  readonly closing: AbortSignal;
  /** Returns the plans in use by everything except the given service. */
  readonly plansInUse: (except: string) => Promise<readonly PlanInUse[]>;
  readonly size?: MachineSize;
  /** Overrides of the default start timeouts. */
  readonly startTimes?: Partial<StartTimeouts>;
  /** Routes requests to the programs; absent if none are served by name. */
  readonly router?: RequestRouter;
}

/** The local host, with further operations for its owner. */
export interface LocalHost extends ServiceHost {
  readonly runner: Runner;
  /** Dependencies of everything that starts programs here. */
  readonly parts: HostParts;
  /**
   * Rejects a plan that exceeds the machine's capacity.
   *
   * @throws {AppError} `HOST_CAPACITY` naming the plans that fit.
   */
  assertFits(
    id: string,
    wanted: Parameters<typeof assertPlanFits>[0],
    plans: Readonly<Record<string, PlanLimits>>,
  ): Promise<void>;
  /** Isolation of programs on this machine. */
  readonly isolation: Isolation;
  /** Removes the files of runs that ended long ago and whose log lines were stored. */
  sweep(isTaken: (name: string) => boolean): void;
  /** Sends the current routes to the router. */
  refreshRoutes(): Promise<void>;
}

/**
 * Opens hosting on this machine.
 *
 * @throws {AppError} `NOT_CONFIGURED` naming what the machine lacks.
 */
export function openLocalHost(parts: LocalHostParts): LocalHost {
  if (process.platform !== 'linux') {
    throw new AppError('NOT_CONFIGURED', { message: 'Local hosting requires Linux.' });
  }
  const layout = openLayout(parts.folder);
  const cgroups = detectCgroups();
  const sandbox = openSandbox(parts.env);
  const { clock, token, closing, sources, trustsRepositories, size = getMachineSize() } = parts;
  const runner = new Runner({ runs: layout.runs, cgroups, clock, token, closing });
  const network = openNetwork(parts, { layout, runner, sandbox });
  const git = openGitSource({
    folder: layout.git,
    sources,
    acceptsForeign: trustsRepositories || network.kind === 'users',
    fetcher: network.fetcher,
    path: parts.env['PATH'] ?? sandbox.path,
    ...readCaFile(parts.env),
  });
  const routing = new Routing({
    layout,
    domain: HOST_DOMAIN,
    findAddress: (instanceId) => findListeningAddress({ runner }, instanceId),
    ...(parts.router === undefined ? {} : { router: parts.router }),
  });
  const shared = { layout, runner, sandbox, network, git, routing };
  const assertBuilder = ({ serviceDetails }: Service): void => {
    if (!('runtime' in serviceDetails)) return;
    const missing = findMissingProgram(serviceDetails.runtime, sandbox);
    if (serviceDetails.runtime !== 'docker' || missing === undefined) return;
    throw new AppError('NOT_CONFIGURED', { message: missing, data: { received: 'docker' } });
  };
  return {
    runner,
    refreshRoutes: () => routing.refresh(),
    parts: { layout, runner, sandbox, network },
    assertFits: async (id, wanted, plans) => {
      assertDiskSpace(layout.root);
      assertPlanFits(wanted, await parts.plansInUse(id), { ...size, plans });
    },
    isolation: toIsolation(sandbox, cgroups, network),
    runtimes: () => detectRuntimes(sandbox),
    admit: async (service) => {
      git.check(service);
      assertBuilder(service);
      assertDiskSpace(layout.root);
      const name = 'plan' in service.serviceDetails ? service.serviceDetails.plan : '';
      if (name === '') return;
      const count = service.type === 'web_service' ? service.serviceDetails.numInstances : 1;
      const wanted = { ...getPlanLimits(service), name, count, ownerId: service.ownerId };
      assertPlanFits(wanted, await parts.plansInUse(service.id), size);
    },
    pushUrl: (serviceId) => git.pushUrl(serviceId),
    // An invalid address is rejected by `admit`; git's errors appear in the first deploy.
    defaultBranch: (service) => git.defaultBranch(service).catch(() => null),
    newestCommit: (service) => git.head(service),
    ...createBuilds(shared),
    ...createInstances({ ...shared, ...parts.startTimes }),
    ...createServing(shared),
    ...createJobs(shared),
    remove: async (serviceId) => {
      git.remove(serviceId);
      await removeTree(layout.service(serviceId));
    },
    sweep: (isTaken) => {
      for (const name of runner.names()) {
        if (runner.idleMs(name) > RUN_KEPT_MS && isTaken(name)) runner.removeFiles(name);
      }
    },
  };
}

function toIsolation(
  { level: sandbox, confinesSockets }: HostParts['sandbox'],
  { kind: cgroups }: Cgroups,
  { kind: network }: HostParts['network'],
): Isolation {
  return { sandbox, confinesSockets, cgroups, network };
}

/** Isolates the network of programs if the kernel supports it. */
function openNetwork(
  { reach = [], clock, closing }: LocalHostParts,
  { layout, runner, sandbox }: Omit<HostParts, 'network'>,
): HostParts['network'] {
  if (sandbox.level !== 'user' || detectNetwork() === 'none') return NO_FIREWALL;
  const isNeeded = (): boolean => runner.names().some((name) => runner.isRunning(name));
  return openFirewall({ layout, reach, clock, closing, isNeeded });
}

/** Returns the operator's CA file for git, from the variable that git itself uses. */
function readCaFile({
  GIT_SSL_CAINFO: authorities = '',
}: LocalHostParts['env']): Pick<GitProgramParts, 'authorities'> {
  return authorities === '' ? {} : { authorities };
}

/** Runs commands of cron jobs, each under the name of its run. */
function createJobs(parts: HostParts): Pick<ServiceHost, 'run' | 'stopRun'> {
  const { runner } = parts;
  return {
    run: async (version, { runId, signal }) => {
      const { service } = version;
      if (service.type !== 'cron_job') return { reason: { missing: 'a command' } };
      const details = service.serviceDetails;
      const order = {
        type: 'app',
        command: 'startCommand' in details ? details.startCommand : details.dockerCommand,
        limits: getPlanLimits(service),
        instance: runId,
      } as const;
      const bounds = { limitMs: RUN_MS, what: 'the run', signal, graceMs: GRACE_MS };
      const program = createTenantProgram(parts, version, order);
      if ('missing' in program) return { reason: program };
      return { reason: await runner.runToEnd(`run-${runId}`, program.order, bounds) };
    },
    stopRun: async (runId) => runner.stop(`run-${runId}`, GRACE_MS),
  };
}
