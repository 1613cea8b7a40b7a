import { AppError } from '../../domain/common/error.ts';
import { hashJson } from '../../domain/common/hash.ts';
import { settingsPage } from '../../domain/hosting/console-pages.ts';
import { derivedId } from '../../domain/hosting/derived-id.ts';
import { type GivenVar, mergeVars } from '../../domain/hosting/given-env.ts';
import type { HostingProvider, NewService, ServicePatch } from '../../domain/hosting/hosting.ts';
import { hostedId, slugOf } from '../../domain/hosting/ids.ts';
import type { Service } from '../../domain/hosting/records.ts';
import { patchedService, serviceRecord } from '../../domain/hosting/service-record.ts';
import {
  isSuspendedByCrashes,
  isSuspendedByHand,
  refuseSuspended,
} from '../../domain/hosting/suspension.ts';
import {
  type DeployAsk,
  holdsRoom,
  type ServiceInput,
} from '../../machines/hosting/service-facts.ts';
import { HOSTING_KINDS, openEnv } from './definitions.ts';
import { appeared, begin } from './local-deploys.ts';
import type { LocalProviderParts } from './local-parts.ts';
import { invalid, pageOf, readPage, unknownResource } from './page.ts';
import { serviceOf } from './records.ts';

type Services = HostingProvider['services'];

/** An order with the branch named by it or by its repository. */
interface OrderedService {
  readonly order: NewService;
  readonly branch: string | undefined;
  readonly key: string | undefined;
}

/**
 * Creates the services provider of this machine. Changes are serialized, because names must be
 * unique.
 */
export function localServices(parts: LocalProviderParts): Services {
  const { engine, directory, clock, sealer, workspaces, random } = parts;
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const turn = last.then(work, work);
    last = turn.catch(() => undefined);
    return turn;
  };
  const recordOf = async (id: string): Promise<Service> => {
    const { view } = await directory.service(id);
    return serviceOf(view, clock.now(), parts);
  };
  return {
    list: async ({ ownerId, ...page }) => {
      mustHave(workspaces, ownerId);
      const own = (await directory.services()).filter((row) => row.ownerId === ownerId);
      return readPage(pageOf(own, page, 'oldest'), recordOf);
    },
    get: recordOf,
    create: async (order, key) => {
      // Resolve the branch first, so that a slow repository does not block other orders.
      const branch = order.branch ?? (await defaultBranch(parts, order));
      return inTurn(() => create(parts, { order, branch, key }));
    },
    update: (id, patch) => inTurn(() => update(parts, id, patch)),
    remove: (id) =>
      inTurn(async () => {
        await directory.service(id);
        await engine.tell(id, { type: 'REMOVE', at: clock.now() });
        await parts.reconcile();
      }),
    restart: async (id) => {
      const { context } = await directory.service(id);
      const { service, isServing } = context;
      if (service.type !== 'web_service') throw invalid('serviceId', id, 'a web service');
      if (isSuspendedByHand(service)) {
        throw refuseSuspended({ id, dashboardUrl: parts.pageOf(id) });
      }
      if (isSuspendedByCrashes(service)) {
        await resume(parts, id);
        return;
      }
      if (!isServing) throw invalid('serviceId', id, 'a service with a live deploy');
      await engine.tell(id, { type: 'RESTART', at: clock.now() });
    },
    replaceEnvVars: (id, given, { isMerged = false } = {}) =>
      inTurn(async () => {
        const { context } = await directory.service(id);
        const isRefused = isSuspendedByHand(context.service);
        if (!isRefused && !holdsRoom(context)) await parts.host.admit(context.service);
        const deployId = hostedId('deploy', random);
        const before = isMerged ? openEnv(sealer, id, context.sealedEnv) : [];
        const sealedEnv = sealer.seal(JSON.stringify(mergeVars(before, given)), id);
        const ask = askFor(deployId, 'same');
        const event = { type: 'ENV.REPLACED', sealedEnv, ask, at: clock.now() };
        if (isRefused) {
          await engine.tell(id, event);
          return {};
        }
        await begin(parts, id, { event, deployId });
        return { deployId };
      }),
    envVarNames: async (id) => {
      const { context } = await directory.service(id);
      return openEnv(sealer, id, context.sealedEnv).map(({ key }) => key);
    },
    settingsUrl: (id) => settingsPage(parts.pageOf(id)),
  };
}

/** @throws {AppError} `RESOURCE_UNKNOWN` for an unknown workspace. */
export function mustHave(workspaces: LocalProviderParts['workspaces'], id: string): void {
  if (!workspaces.some((workspace) => workspace.id === id)) throw unknownResource(id);
}

async function defaultBranch(
  { host }: LocalProviderParts,
  { repo, ownerId }: NewService,
): Promise<string | undefined> {
  if (repo === undefined) return undefined;
  return (await host.defaultBranch({ id: '', repo, ownerId })) ?? undefined;
}

async function create(
  parts: LocalProviderParts,
  { order, branch, key }: OrderedService,
): ReturnType<Services['create']> {
  const { engine, directory, clock, sealer, workspaces, random, host } = parts;
  mustHave(workspaces, order.ownerId);
  const kind = order.type === 'cron_job' ? 'cron_job' : 'service';
  // An idempotency key always gives the same id.
  const id = key === undefined ? hostedId(kind, random) : derivedId(kind, `order ${key}`);
  const known = key === undefined ? undefined : await knownOrder(parts, id, order);
  if (known !== undefined) return { service: known };
  const others = await recordsOf(parts);
  refuseTaken(others, order.ownerId, order.name);
  const slug = slugOf(order.name, (one) => others.some((other) => other.slug === one), random);
  const at = clock.now();
  const source = branch === undefined ? order : { ...order, branch };
  const record = serviceRecord(source, {
    ...{ id, slug, url: parts.urlOf(slug), dashboardUrl: parts.pageOf(id) },
    ...(order.repo === undefined ? { pushUrl: await host.pushUrl(id) } : {}),
    at: new Date(at).toISOString(),
  });
  await host.admit(record);
  const deployId = hostedId('deploy', random);
  const first: DeployAsk | null =
    order.repo === undefined
      ? null
      : { deployId, trigger: 'first_build', clearCache: false, source: { kind: 'branch' } };
  const sealedEnv = sealer.seal(JSON.stringify(order.envVars satisfies readonly GivenVar[]), id);
  const input: ServiceInput = { service: record, sealedEnv, first, orderHash: hashJson(order), at };
  await engine.create(HOSTING_KINDS.service, id, input);
  const service = serviceOf((await directory.service(id)).view, at, parts);
  if (first === null) return { service };
  await appeared(parts, deployId);
  return { service, deployId };
}

/** Returns the service that was created with the same key. Throws if the order differs. */
async function knownOrder(
  parts: LocalProviderParts,
  id: string,
  order: NewService,
): Promise<Service | undefined> {
  const { directory, clock } = parts;
  const found = await directory.service(id).catch(() => undefined);
  if (found === undefined) return undefined;
  if (found.context.orderHash === hashJson(order)) {
    return serviceOf(found.view, clock.now(), parts);
  }
  throw invalid('key', 'the key of another order', 'the same order again, or another key');
}

async function update(
  parts: LocalProviderParts,
  id: string,
  patch: ServicePatch,
): ReturnType<Services['update']> {
  const { engine, directory, clock, random, host } = parts;
  const { context } = await directory.service(id);
  const before = context.service;
  const at = clock.now();
  const { service, need } = patchedService(before, patch, new Date(at).toISOString());
  if (service.name !== before.name)
    refuseTaken(await recordsOf(parts), before.ownerId, service.name);
  if (need !== 'nothing') await host.admit(service);
  const isSuspended = isSuspendedByHand(before);
  const willSuspend = patch.suspended ?? isSuspended;
  const answer = async (deployId?: string) => {
    await parts.reconcile();
    const now = serviceOf((await directory.service(id)).view, clock.now(), parts);
    return deployId === undefined ? { service: now } : { service: now, deployId };
  };
  const deployId = hostedId('deploy', random);
  const isDeployed = need !== 'nothing' && !isSuspended && !willSuspend;
  const ask = isDeployed ? askFor(deployId, need === 'build' ? 'branch' : 'same') : null;
  const event = { type: 'SERVICE.CHANGED', service, ask, at };
  if (ask === null) await engine.tell(id, event);
  else await begin(parts, id, { event, deployId });
  if (willSuspend && !isSuspended) await engine.tell(id, { type: 'SUSPEND', at });
  const isResumed = patch.suspended === false && ask === null;
  if (!isResumed || before.suspended === 'not_suspended') return answer(ask?.deployId);
  return answer(await resume(parts, id));
}

/** Redeploys the last build. If a deploy of a crashed service is in progress, returns that one. */
async function resume(parts: LocalProviderParts, id: string): Promise<string | undefined> {
  const deployId = hostedId('deploy', parts.random);
  const event = { type: 'RESUME', deployId, at: parts.clock.now() };
  const { context } = await parts.directory.service(id);
  if (isSuspendedByCrashes(context.service) && context.current !== null) return context.current;
  if (!holdsRoom(context)) await parts.host.admit(context.service);
  await begin(parts, id, { event, deployId });
  return deployId;
}

function askFor(deployId: string, kind: 'branch' | 'same'): DeployAsk {
  return { deployId, trigger: 'service_updated', clearCache: false, source: { kind } };
}

async function recordsOf({ directory }: LocalProviderParts): Promise<readonly Service[]> {
  const rows = await directory.services();
  return Promise.all(rows.map(async ({ id }) => (await directory.service(id)).context.service));
}

function refuseTaken(others: readonly Service[], ownerId: string, name: string): void {
  if (!others.some((other) => other.ownerId === ownerId && other.name === name)) return;
  const message = `name: received ${JSON.stringify(name)}, allowed: a name that is not taken`;
  throw new AppError('NAME_TAKEN', { message, data: { path: 'name', received: name } });
}
