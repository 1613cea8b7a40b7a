import pLimit from 'p-limit';
import { AppError } from '../../domain/common/error.ts';
import { hashJson } from '../../domain/common/hash.ts';
import { settingsPageUrl } from '../../domain/hosting/console-pages.ts';
import { mergeEnvVars } from '../../domain/hosting/env-vars.ts';
import type { HostingProvider, NewService } from '../../domain/hosting/hosting.ts';
import { createHostedId, createSlug } from '../../domain/hosting/ids.ts';
import type { Service } from '../../domain/hosting/records.ts';
import type { ServicePatch } from '../../domain/hosting/service-patch.ts';
import { createServiceRecord, patchService } from '../../domain/hosting/service-record.ts';
import {
  isSuspendedByCrashes,
  isSuspendedByUser,
  suspendedError,
} from '../../domain/hosting/suspension.ts';
import {
  type DeployRequest,
  type ServiceInput,
  usesCapacity,
} from '../../machines/hosting/service/context.ts';
import { serviceKind } from './definitions/service.ts';
import { startDeploy, waitForDeploy } from './local-deploys.ts';
import type { LocalProviderDeps } from './local-provider-deps.ts';
import { invalidInputError, loadPage, selectPage, unknownResourceError } from './page.ts';
import { readServiceRecord } from './records.ts';
import { sealEnv, unsealEnv } from './service-env.ts';

type Services = HostingProvider['services'];

/** An order with the branch named by it or by its repository. */
interface ServiceOrder {
  readonly order: NewService;
  readonly branch: string | undefined;
}

/**
 * Creates the services provider of this machine. Changes are serialized, because names must be
 * unique.
 */
export function createLocalServices(parts: LocalProviderDeps): Services {
  const { engine, directory, clock, sealer, workspaces, random } = parts;
  const serialize = pLimit(1);
  const readService = async (id: string): Promise<Service> => {
    const { view } = await directory.service(id);
    return readServiceRecord(view, clock.now(), parts);
  };
  return {
    list: async ({ ownerId, ...page }) => {
      assertWorkspace(workspaces, ownerId);
      const own = (await directory.services()).filter((row) => row.ownerId === ownerId);
      return loadPage(selectPage(own, page, 'oldest'), readService);
    },
    get: readService,
    create: async (order) => {
      // Resolve the branch first, so that a slow repository does not block other orders.
      const branch = order.branch ?? (await readDefaultBranch(parts, order));
      return serialize(() => createService(parts, { order, branch }));
    },
    update: (id, patch) => serialize(() => updateService(parts, id, patch)),
    remove: (id) =>
      serialize(async () => {
        await directory.service(id);
        await engine.tell(id, { type: 'REMOVE', at: clock.now() });
        await parts.reconcile();
      }),
    restart: async (id) => {
      const { context } = await directory.service(id);
      const { service, isServing } = context;
      if (service.type !== 'web_service') throw invalidInputError('serviceId', id, 'a web service');
      if (isSuspendedByUser(service)) {
        throw suspendedError({ id, dashboardUrl: parts.pageOf(id) });
      }
      if (isSuspendedByCrashes(service)) {
        await resumeService(parts, id);
        return;
      }
      if (!isServing) throw invalidInputError('serviceId', id, 'a service with a live deploy');
      await engine.tell(id, { type: 'RESTART', at: clock.now() });
    },
    replaceEnvVars: (id, given, { isMerged = false } = {}) =>
      serialize(async () => {
        const { context } = await directory.service(id);
        const isRefused = isSuspendedByUser(context.service);
        if (!isRefused && !usesCapacity(context)) await parts.host.admit(context.service);
        const deployId = createHostedId('deploy', random);
        const before = isMerged ? unsealEnv(sealer, id, context.sealedEnv) : [];
        const sealedEnv = sealEnv(sealer, id, mergeEnvVars(before, given));
        const ask = createDeployAsk(deployId, 'same');
        const event = { type: 'ENV.REPLACED', sealedEnv, ask, at: clock.now() };
        if (isRefused) {
          await engine.tell(id, event);
          return {};
        }
        await startDeploy(parts, id, { event, deployId });
        return { deployId };
      }),
    envVarNames: async (id) => {
      const { context } = await directory.service(id);
      return unsealEnv(sealer, id, context.sealedEnv).map(({ key }) => key);
    },
    settingsUrl: (id) => settingsPageUrl(parts.pageOf(id)),
  };
}

/** @throws {AppError} `RESOURCE_UNKNOWN` for an unknown workspace. */
export function assertWorkspace(workspaces: LocalProviderDeps['workspaces'], id: string): void {
  if (!workspaces.some((workspace) => workspace.id === id)) throw unknownResourceError(id);
}

async function readDefaultBranch(
  { host }: LocalProviderDeps,
  { repo, ownerId }: NewService,
): Promise<string | undefined> {
  if (repo === undefined) return undefined;
  return (await host.defaultBranch({ id: '', repo, ownerId })) ?? undefined;
}

async function createService(
  parts: LocalProviderDeps,
  { order, branch }: ServiceOrder,
): ReturnType<Services['create']> {
  const { engine, directory, clock, sealer, workspaces, random, host } = parts;
  assertWorkspace(workspaces, order.ownerId);
  const kind = order.type === 'cron_job' ? 'cron_job' : 'service';
  const id = createHostedId(kind, random);
  const others = await listRecords(parts);
  assertNameFree(others, order.ownerId, order.name);
  const slug = createSlug(order.name, (one) => others.some((other) => other.slug === one), random);
  const at = clock.now();
  const source = branch === undefined ? order : { ...order, branch };
  const record = createServiceRecord(source, {
    id,
    slug,
    url: parts.urlOf(slug),
    dashboardUrl: parts.pageOf(id),
    ...(order.repo === undefined ? { pushUrl: await host.pushUrl(id) } : {}),
    at: new Date(at).toISOString(),
  });
  await host.admit(record);
  const deployId = createHostedId('deploy', random);
  const first: DeployRequest | null =
    order.repo === undefined
      ? null
      : { deployId, trigger: 'first_build', clearCache: false, source: { kind: 'branch' } };
  const sealedEnv = sealEnv(sealer, id, order.envVars);
  const input: ServiceInput = { service: record, sealedEnv, first, orderHash: hashJson(order), at };
  await engine.of(serviceKind).create(id, input);
  const service = readServiceRecord((await directory.service(id)).view, at, parts);
  if (first === null) return { service };
  await waitForDeploy(parts, deployId);
  return { service, deployId };
}

async function updateService(
  parts: LocalProviderDeps,
  id: string,
  patch: ServicePatch,
): ReturnType<Services['update']> {
  const { engine, directory, clock, random, host } = parts;
  const { context } = await directory.service(id);
  const before = context.service;
  const at = clock.now();
  const { service, need } = patchService(before, patch, new Date(at).toISOString());
  if (service.name !== before.name)
    assertNameFree(await listRecords(parts), before.ownerId, service.name);
  if (need !== 'nothing') await host.admit(service);
  const isSuspended = isSuspendedByUser(before);
  const willSuspend = patch.suspended ?? isSuspended;
  const answer = async (deployId?: string) => {
    await parts.reconcile();
    const now = readServiceRecord((await directory.service(id)).view, clock.now(), parts);
    return deployId === undefined ? { service: now } : { service: now, deployId };
  };
  const deployId = createHostedId('deploy', random);
  const isDeployed = need !== 'nothing' && !isSuspended && !willSuspend;
  const ask = isDeployed ? createDeployAsk(deployId, need === 'build' ? 'branch' : 'same') : null;
  const event = { type: 'SERVICE.CHANGED', service, ask, at };
  if (ask === null) await engine.tell(id, event);
  else await startDeploy(parts, id, { event, deployId });
  if (willSuspend && !isSuspended) await engine.tell(id, { type: 'SUSPEND', at });
  const isResumed = patch.suspended === false && ask === null;
  if (!isResumed || before.suspended === 'not_suspended') return answer(ask?.deployId);
  return answer(await resumeService(parts, id));
}

/** Redeploys the last build. If a deploy of a crashed service is in progress, returns that one. */
async function resumeService(parts: LocalProviderDeps, id: string): Promise<string | undefined> {
  const deployId = createHostedId('deploy', parts.random);
  const event = { type: 'RESUME', deployId, at: parts.clock.now() };
  const { context } = await parts.directory.service(id);
  if (isSuspendedByCrashes(context.service) && context.current !== null) return context.current;
  if (!usesCapacity(context)) await parts.host.admit(context.service);
  await startDeploy(parts, id, { event, deployId });
  return deployId;
}

function createDeployAsk(deployId: string, kind: 'branch' | 'same'): DeployRequest {
  return { deployId, trigger: 'service_updated', clearCache: false, source: { kind } };
}

async function listRecords({ directory }: LocalProviderDeps): Promise<readonly Service[]> {
  const rows = await directory.services();
  return Promise.all(rows.map(async ({ id }) => (await directory.service(id)).context.service));
}

function assertNameFree(others: readonly Service[], ownerId: string, name: string): void {
  if (!others.some((other) => other.ownerId === ownerId && other.name === name)) return;
  const message = `name: received ${JSON.stringify(name)}, allowed: a name that is not taken`;
  throw new AppError('NAME_TAKEN', { message, data: { path: 'name', received: name } });
}
