import type { Clock } from '../../../domain/common/clock.ts';
import { AppError } from '../../../domain/common/error.ts';
import { HOUR_MS } from '../../../domain/common/time.ts';
import type { PlanLimits } from '../../../domain/hosting/plans.ts';
import type { Service } from '../../../domain/hosting/records.ts';
import type { RequestRouter } from '../../../domain/hosting/request-router.ts';
import type { ServiceHost } from '../../../domain/hosting/service-host.ts';
import { type Cgroups, openCgroups } from '../../sandbox/cgroups.ts';
import type { ReachedRange } from '../settings.ts';
import { openBuilds } from './builds.ts';
import {
  type MachineSize,
  machineSize,
  refuseFullDisk,
  refuseTooLarge,
  type TakenPlan,
} from './capacity.ts';
import type { GitProgramParts } from './git/git-program.ts';
import type { LocalSources } from './git/source-roots.ts';
import { openGitSource } from './git-source.ts';
import { findPlace, openInstances, type StartTimes } from './instances.ts';
import type { Isolation } from './isolation.ts';
import { openJobs } from './jobs.ts';
import { Keeper } from './keeper.ts';
import { openLayout } from './layout.ts';
import { networkHere, OPEN_NETWORK, openFirewall } from './network/firewall.ts';
import { type HostParts, limitsOf } from './programs.ts';
import { removeTree } from './remove-tree.ts';
import { Routing } from './routing.ts';
import { openSandbox } from './sandbox.ts';
import { openServing } from './serving.ts';
import { missingProgram, runtimesHere } from './toolchains.ts';

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
  readonly taken: (except: string) => Promise<readonly TakenPlan[]>;
  readonly size?: MachineSize;
  /** Overrides of the default start timeouts. */
  readonly startTimes?: Partial<StartTimes>;
  /** Routes requests to the programs; absent if none are served by name. */
  readonly router?: RequestRouter;
}

/** The local host, with further operations for its owner. */
export interface LocalHost extends ServiceHost {
  readonly keeper: Keeper;
  /** Dependencies of everything that starts programs here. */
  readonly parts: HostParts;
  /**
   * Rejects a plan that exceeds the machine's capacity.
   *
   * @throws {AppError} `HOST_CAPACITY` naming the plans that fit.
   */
  refuseUnfit(
    id: string,
    wanted: Parameters<typeof refuseTooLarge>[0],
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
  const cgroups = openCgroups();
  const sandbox = openSandbox(parts.env);
  const { clock, token, closing, sources, trustsRepositories, size = machineSize() } = parts;
  const keeper = new Keeper({ runs: layout.runs, cgroups, clock, token, closing });
  const network = networkOf(parts, { layout, keeper, sandbox });
  const git = openGitSource({
    folder: layout.git,
    sources,
    takesForeign: trustsRepositories || network.kind === 'users',
    fetcher: network.fetcher,
    path: parts.env['PATH'] ?? sandbox.path,
    ...readAuthorities(parts.env),
  });
  const routing = new Routing({
    layout,
    domain: HOST_DOMAIN,
    findPlace: (instanceId) => findPlace({ keeper }, instanceId),
    ...(parts.router === undefined ? {} : { router: parts.router }),
  });
  const shared = { layout, keeper, sandbox, network, git, routing };
  const refuseMissing = ({ serviceDetails }: Service): void => {
    if (!('runtime' in serviceDetails)) return;
    const missing = missingProgram(serviceDetails.runtime, sandbox);
    if (serviceDetails.runtime !== 'docker' || missing === undefined) return;
    throw new AppError('NOT_CONFIGURED', { message: missing, data: { received: 'docker' } });
  };
  return {
    keeper,
    refreshRoutes: () => routing.refresh(),
    parts: { layout, keeper, sandbox, network },
    refuseUnfit: async (id, wanted, plans) => {
      refuseFullDisk(layout.root);
      refuseTooLarge(wanted, await parts.taken(id), { ...size, plans });
    },
    isolation: isolationOf(sandbox, cgroups, network),
    runtimes: () => runtimesHere(sandbox),
    admit: async (service) => {
      git.check(service);
      refuseMissing(service);
      refuseFullDisk(layout.root);
      const name = 'plan' in service.serviceDetails ? service.serviceDetails.plan : '';
      if (name === '') return;
      const count = service.type === 'web_service' ? service.serviceDetails.numInstances : 1;
      const wanted = { ...limitsOf(service), name, count, ownerId: service.ownerId };
      refuseTooLarge(wanted, await parts.taken(service.id), size);
    },
    pushUrl: (serviceId) => git.pushUrl(serviceId),
    // An invalid address is rejected by `admit`; git's errors appear in the first deploy.
    defaultBranch: (service) => git.defaultBranch(service).catch(() => null),
    head: (service) => git.head(service),
    ...openBuilds(shared),
    ...openInstances({ ...shared, ...parts.startTimes }),
    ...openServing(shared),
    ...openJobs(shared),
    remove: async (serviceId) => {
      git.remove(serviceId);
      await removeTree(layout.service(serviceId));
    },
    sweep: (isTaken) => {
      for (const name of keeper.names()) {
        if (keeper.age(name) > RUN_KEPT_MS && isTaken(name)) keeper.forget(name);
      }
    },
  };
}

function isolationOf(
  { level: sandbox, confinesSockets }: HostParts['sandbox'],
  { kind: cgroups }: Cgroups,
  { kind: network }: HostParts['network'],
): Isolation {
  return { sandbox, confinesSockets, cgroups, network };
}

/** Isolates the network of programs if the kernel supports it. */
function networkOf(
  { reach = [], clock, closing }: LocalHostParts,
  { layout, keeper, sandbox }: Omit<HostParts, 'network'>,
): HostParts['network'] {
  if (sandbox.level !== 'user' || networkHere() === 'none') return OPEN_NETWORK;
  const isNeeded = (): boolean => keeper.names().some((name) => isRunning(keeper, name));
  return openFirewall({ layout, reach, clock, closing, isNeeded });
}

/** Returns the operator's CA file for git, from the variable that git itself uses. */
function readAuthorities({
  GIT_SSL_CAINFO: authorities = '',
}: LocalHostParts['env']): Pick<GitProgramParts, 'authorities'> {
  return authorities === '' ? {} : { authorities };
}

function isRunning(keeper: Keeper, name: string): boolean {
  return keeper.look(name).state === 'running';
}
