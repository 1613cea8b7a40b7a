import type { Sealer } from '../../domain/common/sealer.ts';
import { DAY_MS, HOUR_MS, SECOND_MS } from '../../domain/common/time.ts';
import { deriveId } from '../../domain/hosting/derive-id.ts';
import type { EnvVarOrder, ResolvedEnv } from '../../domain/hosting/env-vars.ts';
import type { EnvVar, Service } from '../../domain/hosting/records.ts';
import type {
  FetchOutcome,
  HostedVersion,
  HostOutcome,
  ServiceHost,
} from '../../domain/hosting/service-host.ts';
import { isSuspendedByCrashes } from '../../domain/hosting/suspension.ts';
import { cronRunMachine, version as cronRunVersion } from '../../machines/hosting/cron-run.ts';
import type { PrepareOutput } from '../../machines/hosting/cron-run-context.ts';
import { deployMachine, version as deployVersion } from '../../machines/hosting/deploy.ts';
import type {
  DeployEffectInput,
  DeployEffectOutput,
} from '../../machines/hosting/deploy-context.ts';
import { instanceMachine, version as instanceVersion } from '../../machines/hosting/instance.ts';
import type { InstanceEffectInput } from '../../machines/hosting/instance-context.ts';
import { serviceMachine, version as serviceVersion } from '../../machines/hosting/service.ts';
import type { ServiceContext } from '../../machines/hosting/service-context.ts';
import { define } from '../../runtime/engine/define.ts';
import type { Definition, Effect, EffectContext, Migration } from '../../runtime/engine/types.ts';

/** Actor kinds of hosting. */
export const HOSTING_KINDS = {
  service: { kind: 'service', machine: serviceMachine },
  deploy: { kind: 'deploy', machine: deployMachine },
  instance: { kind: 'instance', machine: instanceMachine },
  cronRun: { kind: 'cron-run', machine: cronRunMachine },
} as const;

/** Journals of services and instances grow for years, so old rows are trimmed. */
const KEEP = { rows: 500, ageMs: 30 * DAY_MS } as const;
/** Host work resumes after a daemon restart, so a restart must not count as a failed attempt. */
const ATTEMPTS = 1_000_000;
/** Longest attempt in milliseconds; the host has shorter limits of its own. */
const WORK_MS = 4 * HOUR_MS;
const WATCH_MS = 400 * DAY_MS;

/** Dependencies of hosting actors. */
export interface HostingActorDeps {
  readonly host: ServiceHost;
  readonly sealer: Sealer;
  /** Returns the current context of a service. */
  readonly serviceOf: (serviceId: string) => Promise<ServiceContext>;
  /** Resolves the environment variables of a service to their current values. */
  readonly resolveEnv: (service: Service, vars: readonly EnvVarOrder[]) => Promise<ResolvedEnv>;
}

/** Creates the actor definitions of hosted services. */
export function defineHostingActors(parts: HostingActorDeps): readonly Definition[] {
  return [
    define({
      kind: HOSTING_KINDS.service.kind,
      version: serviceVersion,
      machine: serviceMachine,
      effects: {},
      migrations: [serviceFromVersion1, serviceFromVersion2],
      keep: KEEP,
    }),
    defineDeploy(parts),
    defineInstance(parts),
    defineCronRun(parts),
  ];
}

/** Migrates a service from version 1, which did not track disk usage. */
export const serviceFromVersion1: Migration = {
  from: 1,
  migrate: ({ snapshot, ...rows }) => {
    const context = { ...snapshot.context, isDiskHigh: false };
    return { snapshot: { ...snapshot, context }, ...rows };
  },
};

/**
 * Migrates a service from version 2, which did not record the request of the current deploy. A
 * service suspended by crashes can be deployed again.
 */
export const serviceFromVersion2: Migration = {
  from: 2,
  migrate: ({ snapshot, ...rows }) => {
    const context = { ...snapshot.context, currentAsk: null, isYielding: false };
    // Every version stored the record of the service.
    const service = snapshot.context['service'] as Service;
    const isOut = snapshot.value === 'suspended' && isSuspendedByCrashes(service);
    const value = isOut ? 'active' : snapshot.value;
    return { snapshot: { ...snapshot, context, value }, ...rows };
  },
};

/** Opens the sealed environment variables of a service. */
export function unsealEnv(
  sealer: Sealer,
  serviceId: string,
  sealedEnv: string,
): readonly EnvVarOrder[] {
  return JSON.parse(sealer.open(sealedEnv, serviceId)) as readonly EnvVarOrder[];
}

/** Opens the environment variables of a service and resolves their values. */
function resolveSealedEnv(
  { sealer, resolveEnv }: HostingActorDeps,
  { service, sealedEnv }: { readonly service: Service; readonly sealedEnv: string },
): Promise<ResolvedEnv> {
  return resolveEnv(service, unsealEnv(sealer, service.id, sealedEnv));
}

function defineDeploy(parts: HostingActorDeps): Definition {
  const { host } = parts;
  const work = (
    run: (
      version: HostedVersion,
      work: DeployEffectInput,
      signal: AbortSignal,
    ) => Promise<HostOutcome | FetchOutcome>,
  ): Effect<DeployEffectInput, DeployEffectOutput> => ({
    attempts: ATTEMPTS,
    timeoutMs: WORK_MS,
    run: (order, context) =>
      runTimed(context, async () => {
        const found = await resolveSealedEnv(parts, order);
        if ('missing' in found) return { ok: false, reason: found };
        return run(hostedVersionOfDeploy(order, found.env), order, context.signal);
      }),
  });
  // Fetching and cut-over do not depend on environment variables.
  const workWithout = (
    run: Parameters<typeof work>[0],
  ): Effect<DeployEffectInput, DeployEffectOutput> => ({
    attempts: ATTEMPTS,
    timeoutMs: WORK_MS,
    run: (order, context) =>
      runTimed(context, () => run(hostedVersionOfDeploy(order, []), order, context.signal)),
  });
  return define({
    kind: HOSTING_KINDS.deploy.kind,
    version: deployVersion,
    machine: deployMachine,
    effects: {
      fetch: workWithout((version, _order, signal) => host.fetch(version, signal)),
      build: work((version, { clearCache }, signal) => host.build(version, { clearCache, signal })),
      preDeploy: work((version, { deployId }, signal) =>
        host.preDeploy(version, { deployId, signal }),
      ),
      cutOver: workWithout((version, { instanceIds }) => host.cutOver(version, instanceIds)),
    },
  });
}

function defineInstance(parts: HostingActorDeps): Definition {
  const { host } = parts;
  const bounds = { attempts: ATTEMPTS, timeoutMs: WATCH_MS };
  return define({
    kind: HOSTING_KINDS.instance.kind,
    version: instanceVersion,
    machine: instanceMachine,
    effects: {
      start: {
        ...bounds,
        run: (work: InstanceEffectInput, context) =>
          runTimed(context, async () => {
            const found = await resolveSealedEnv(parts, work);
            if ('missing' in found) return { ok: false, reason: found };
            return host.start(hostedVersionOfInstance(work, found.env), work, context.signal);
          }),
      },
      watch: {
        ...bounds,
        run: async (work: InstanceEffectInput, { signal, now }) => {
          const end = await host.watch(work, signal);
          return { ...end, at: now() };
        },
      },
      stop: {
        ...bounds,
        run: async ({ instanceId, start, service }: InstanceEffectInput) => {
          const { serviceDetails: details } = service;
          const graceMs =
            'maxShutdownDelaySeconds' in details ? details.maxShutdownDelaySeconds * SECOND_MS : 0;
          await host.stop({ instanceId, start, graceMs });
          return null;
        },
      },
    },
    keep: KEEP,
  });
}

function defineCronRun(parts: HostingActorDeps): Definition {
  const { host, serviceOf } = parts;
  const bounds = { attempts: ATTEMPTS, timeoutMs: DAY_MS };
  return define({
    kind: HOSTING_KINDS.cronRun.kind,
    version: cronRunVersion,
    machine: cronRunMachine,
    effects: {
      prepare: {
        run: async ({ serviceId }, { actorId, now }): Promise<PrepareOutput> => {
          const known = { runId: deriveId('cron_run', actorId), at: now() };
          const { live } = await serviceOf(serviceId);
          if (live !== null) return { ok: true, ...known };
          return { ok: false, ...known, reason: { missing: 'a live version' } };
        },
      },
      run: {
        ...bounds,
        run: async ({ serviceId, runId }, { signal, now }) => {
          const { service, live, sealedEnv } = await serviceOf(serviceId);
          const found = await resolveSealedEnv(parts, { service, sealedEnv });
          if ('missing' in found) return { at: now(), reason: found };
          const version: HostedVersion = {
            service,
            releaseId: live?.releaseId ?? '',
            commitId: live?.commit?.id ?? null,
            env: found.env,
          };
          const { reason } = await host.run(version, { runId, signal });
          return { at: now(), reason };
        },
      },
      stop: {
        ...bounds,
        run: async ({ runId }, { now }) => {
          await host.stopRun(runId);
          return { at: now() };
        },
      },
    },
  });
}

/**
 * Adds the end time to a result. Turns an error into a failed result, unless the work was aborted.
 */
async function runTimed(
  { now, signal }: EffectContext,
  run: () => Promise<HostOutcome | FetchOutcome>,
): Promise<DeployEffectOutput> {
  try {
    const end = await run();
    return { ...end, at: now() };
  } catch (thrown) {
    signal.throwIfAborted();
    const message = thrown instanceof Error ? thrown.message : 'unknown error';
    return { ok: false, at: now(), reason: { evicted: message.slice(0, 300) } };
  }
}

function hostedVersionOfDeploy(work: DeployEffectInput, env: readonly EnvVar[]): HostedVersion {
  const { service, releaseId, source, commit } = work;
  const commitId = source.kind === 'commit' ? source.commitId : (commit?.id ?? null);
  return { service, releaseId, commitId, env };
}

function hostedVersionOfInstance(work: InstanceEffectInput, env: readonly EnvVar[]): HostedVersion {
  const { service, releaseId, commit } = work;
  return { service, releaseId, commitId: commit?.id ?? null, env };
}
