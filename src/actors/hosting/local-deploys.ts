import { SECOND_MS } from '../../domain/common/time.ts';
import type { HostingProvider } from '../../domain/hosting/hosting.ts';
import { hostedId } from '../../domain/hosting/ids.ts';
import type { Deploy } from '../../domain/hosting/records.ts';
import { isSuspendedByHand, refuseSuspended } from '../../domain/hosting/suspension.ts';
import { type DeployAsk, holdsRoom } from '../../machines/hosting/service-facts.ts';
import type { Ev, View } from '../../runtime/engine/types.ts';
import { isEngineCode } from '../common/engine-error.ts';
import { serviceContext } from './directory.ts';
import type { LocalProviderParts } from './local-parts.ts';
import { invalid, pageOf, readPage } from './page.ts';
import { deployOf, statusOf, UNDER_WAY } from './records.ts';

/** Longest wait for an event to pass from one actor to another, in milliseconds. */
const HEARD_MS = 30 * SECOND_MS;
/** Interval between checks for an actor that is being created, in milliseconds. */
const LOOK_MS = 10;

type Parts = Pick<
  LocalProviderParts,
  'engine' | 'directory' | 'clock' | 'random' | 'pageOf' | 'host'
>;

/** Creates the deploys provider of this machine. */
export function localDeploys(parts: Parts): HostingProvider['deploys'] {
  const { engine, directory, clock, random } = parts;
  const ask = async (serviceId: string, order: Omit<DeployAsk, 'deployId'>): Promise<Deploy> => {
    const { context } = await directory.service(serviceId);
    if (isSuspendedByHand(context.service)) {
      throw refuseSuspended({ id: serviceId, dashboardUrl: parts.pageOf(serviceId) });
    }
    if (!holdsRoom(context)) await parts.host.admit(context.service);
    const deployId = hostedId('deploy', random);
    const asked = { type: 'DEPLOY.ASKED', deployId, ...order, at: clock.now() };
    return deployOf(await begin(parts, serviceId, { event: asked, deployId }));
  };
  return {
    list: async ({ serviceId, ...page }) => {
      await directory.service(serviceId);
      const rows = pageOf(await directory.deploysOf(serviceId), page, 'newest');
      return readPage(rows, async (id) => deployOf(await engine.view(id)));
    },
    get: async (serviceId, deployId) => {
      const { view } = await directory.deploy(serviceId, deployId);
      if (statusOf(view) === 'live') await heardOf(engine, serviceId, deployId);
      return deployOf(view);
    },
    trigger: (serviceId, { clearCache, trigger = 'api' }) =>
      ask(serviceId, { trigger, clearCache, source: { kind: 'branch' } }),
    cancel: async (serviceId, deployId) => {
      const { view } = await directory.deploy(serviceId, deployId);
      const status = statusOf(view);
      if (!UNDER_WAY.includes(status)) {
        const may = `a deploy in progress; this one is ${status}`;
        throw invalid('deployId', deployId, may);
      }
      await engine.tell(serviceId, { type: 'DEPLOY.CANCELED', deployId, at: clock.now() });
      const isOver = (now: View): boolean => !UNDER_WAY.includes(statusOf(now));
      return deployOf(await engine.waitFor(deployId, isOver, { timeoutMs: HEARD_MS }));
    },
    rollback: async (serviceId, deployId) => {
      const { view, context } = await directory.deploy(serviceId, deployId);
      const status = statusOf(await replaced(parts, serviceId, { deployId, view }));
      if (status !== 'deactivated') {
        const may = `a previously live deploy; this one is ${status}`;
        throw invalid('deployId', deployId, may);
      }
      const releaseId = context.source.kind === 'release' ? context.source.releaseId : deployId;
      const source = { kind: 'release', releaseId, commit: context.commit } as const;
      return ask(serviceId, { trigger: 'rollback', clearCache: false, source });
    },
  };
}

/**
 * Waits until the service knows that its deploy is live, so that the caller can continue with the
 * service.
 */
async function heardOf(engine: Parts['engine'], serviceId: string, deployId: string) {
  const knows = (view: View): boolean => serviceContext(view).current !== deployId;
  await engine.waitFor(serviceId, knows, { timeoutMs: HEARD_MS });
}

/** Waits until a replaced deploy has been notified of its replacement. */
async function replaced(
  { engine, directory }: Parts,
  serviceId: string,
  { deployId, view }: { readonly deployId: string; readonly view: View },
): Promise<View> {
  const { live } = (await directory.service(serviceId)).context;
  if (statusOf(view) !== 'live' || live === null || live.deployId === deployId) return view;
  const isOver = (now: View): boolean => statusOf(now) !== 'live';
  return engine.waitFor(deployId, isOver, { timeoutMs: HEARD_MS });
}

/** Sends a service an event that starts a deploy, and waits until the deploy exists. */
export async function begin(
  parts: Pick<Parts, 'engine' | 'clock'>,
  serviceId: string,
  { event, deployId }: { readonly event: Ev; readonly deployId: string },
): Promise<View> {
  await parts.engine.tell(serviceId, event);
  return appeared(parts, deployId);
}

/** Waits until a deploy exists. */
export async function appeared(
  { engine, clock }: Pick<Parts, 'engine' | 'clock'>,
  deployId: string,
): Promise<View> {
  const end = clock.now() + HEARD_MS;
  for (;;) {
    try {
      return await engine.view(deployId);
    } catch (thrown) {
      if (!isEngineCode(thrown, 'ACTOR_UNKNOWN') || clock.now() >= end) throw thrown;
      await new Promise<void>((resolve) => {
        clock.at(clock.now() + LOOK_MS, resolve);
      });
    }
  }
}
