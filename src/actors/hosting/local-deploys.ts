import { SECOND_MS } from '../../domain/common/time.ts';
import type { HostingProvider } from '../../domain/hosting/hosting.ts';
import { createHostedId } from '../../domain/hosting/ids.ts';
import type { Deploy } from '../../domain/hosting/records.ts';
import { isSuspendedByUser, suspendedError } from '../../domain/hosting/suspension.ts';
import { type DeployRequest, usesCapacity } from '../../machines/hosting/service/context.ts';
import type { Ev, View } from '../../runtime/engine/types.ts';
import { isEngineCode } from '../common/engine-error.ts';
import { serviceContext } from './hosting-directory.ts';
import type { LocalProviderDeps } from './local-provider-deps.ts';
import { invalidInputError, loadPage, selectPage } from './page.ts';
import { deployStatus, IN_PROGRESS_STATUSES, readDeployRecord } from './records.ts';

/** Longest wait for an event to pass from one actor to another, in milliseconds. */
const EVENT_WAIT_MS = 30 * SECOND_MS;
/** Interval between checks for an actor that is being created, in milliseconds. */
const POLL_INTERVAL_MS = 10;

type LocalDeploysDeps = Pick<
  LocalProviderDeps,
  'engine' | 'directory' | 'clock' | 'random' | 'pageOf' | 'host'
>;

/** Creates the deploys provider of this machine. */
export function createLocalDeploys(parts: LocalDeploysDeps): HostingProvider['deploys'] {
  const { engine, directory, clock, random } = parts;
  const requestDeploy = async (
    serviceId: string,
    order: Omit<DeployRequest, 'deployId'>,
  ): Promise<Deploy> => {
    const { context } = await directory.service(serviceId);
    if (isSuspendedByUser(context.service)) {
      throw suspendedError({ id: serviceId, dashboardUrl: parts.pageOf(serviceId) });
    }
    if (!usesCapacity(context)) await parts.host.admit(context.service);
    const deployId = createHostedId('deploy', random);
    const asked = { type: 'DEPLOY.ASKED', deployId, ...order, at: clock.now() };
    return readDeployRecord(await startDeploy(parts, serviceId, { event: asked, deployId }));
  };
  return {
    list: async ({ serviceId, ...page }) => {
      await directory.service(serviceId);
      const rows = selectPage(await directory.deploysOf(serviceId), page, 'newest');
      return loadPage(rows, async (id) => readDeployRecord(await engine.view(id)));
    },
    get: async (serviceId, deployId) => {
      const { view } = await directory.deploy(serviceId, deployId);
      if (deployStatus(view) === 'live') await waitUntilServiceKnows(engine, serviceId, deployId);
      return readDeployRecord(view);
    },
    trigger: (serviceId, { clearCache, trigger = 'api' }) =>
      requestDeploy(serviceId, { trigger, clearCache, source: { kind: 'branch' } }),
    cancel: async (serviceId, deployId) => {
      const { view } = await directory.deploy(serviceId, deployId);
      const status = deployStatus(view);
      if (!IN_PROGRESS_STATUSES.includes(status)) {
        const may = `a deploy in progress; this one is ${status}`;
        throw invalidInputError('deployId', deployId, may);
      }
      await engine.tell(serviceId, { type: 'DEPLOY.CANCELED', deployId, at: clock.now() });
      const isOver = (now: View): boolean => !IN_PROGRESS_STATUSES.includes(deployStatus(now));
      return readDeployRecord(await engine.waitFor(deployId, isOver, { timeoutMs: EVENT_WAIT_MS }));
    },
    rollback: async (serviceId, deployId) => {
      const { view, context } = await directory.deploy(serviceId, deployId);
      const status = deployStatus(await waitUntilReplaced(parts, serviceId, { deployId, view }));
      if (status !== 'deactivated') {
        const may = `a previously live deploy; this one is ${status}`;
        throw invalidInputError('deployId', deployId, may);
      }
      const releaseId = context.source.kind === 'release' ? context.source.releaseId : deployId;
      const source = { kind: 'release', releaseId, commit: context.commit } as const;
      return requestDeploy(serviceId, { trigger: 'rollback', clearCache: false, source });
    },
  };
}

/**
 * Waits until the service knows that its deploy is live, so that the caller can continue with the
 * service.
 */
async function waitUntilServiceKnows(
  engine: LocalDeploysDeps['engine'],
  serviceId: string,
  deployId: string,
) {
  const knows = (view: View): boolean => serviceContext(view).current !== deployId;
  await engine.waitFor(serviceId, knows, { timeoutMs: EVENT_WAIT_MS });
}

/** Waits until a replaced deploy has been notified of its replacement. */
async function waitUntilReplaced(
  { engine, directory }: LocalDeploysDeps,
  serviceId: string,
  { deployId, view }: { readonly deployId: string; readonly view: View },
): Promise<View> {
  const { live } = (await directory.service(serviceId)).context;
  if (deployStatus(view) !== 'live' || live === null || live.deployId === deployId) return view;
  const isOver = (now: View): boolean => deployStatus(now) !== 'live';
  return engine.waitFor(deployId, isOver, { timeoutMs: EVENT_WAIT_MS });
}

/** Sends a service an event that starts a deploy, and waits until the deploy exists. */
export async function startDeploy(
  parts: Pick<LocalDeploysDeps, 'engine' | 'clock'>,
  serviceId: string,
  { event, deployId }: { readonly event: Ev; readonly deployId: string },
): Promise<View> {
  await parts.engine.tell(serviceId, event);
  return waitForDeploy(parts, deployId);
}

/** Waits until a deploy exists. */
export async function waitForDeploy(
  { engine, clock }: Pick<LocalDeploysDeps, 'engine' | 'clock'>,
  deployId: string,
): Promise<View> {
  const end = clock.now() + EVENT_WAIT_MS;
  for (;;) {
    try {
      return await engine.view(deployId);
    } catch (thrown) {
      if (!isEngineCode(thrown, 'ACTOR_UNKNOWN') || clock.now() >= end) throw thrown;
      await new Promise<void>((resolve) => {
        clock.at(clock.now() + POLL_INTERVAL_MS, resolve);
      });
    }
  }
}
