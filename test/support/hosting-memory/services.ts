import { AppError } from '../../../src/domain/common/error.ts';
import { consolePageUrl, settingsPageUrl } from '../../../src/domain/hosting/console-pages.ts';
import { mergeEnvVars } from '../../../src/domain/hosting/env-vars.ts';
import type { HostingProvider, NewService } from '../../../src/domain/hosting/hosting.ts';
import { createHostedId, createSlug } from '../../../src/domain/hosting/ids.ts';
import type { Service } from '../../../src/domain/hosting/records.ts';
import { findScheduleFault } from '../../../src/domain/hosting/schedule.ts';
import type { ServicePatch } from '../../../src/domain/hosting/service-patch.ts';
import { suspendedError } from '../../../src/domain/hosting/suspension.ts';
import { parseCron } from '../../../src/runtime/timer/cron.ts';
import type { MemoryDeploys } from './deploys.ts';
import { invalidParameter, missingResourceError, toPage } from './paging.ts';
import { patchService } from './patch-service.ts';
import type { MemoryState, StoredService } from './state.ts';

const SHUTDOWN_DELAY_S = 30;

/** Creates the in-memory services. */
export function createMemoryServices(
  state: MemoryState,
  deploys: MemoryDeploys,
): HostingProvider['services'] {
  const find = (id: string): StoredService => getService(state, id);
  return {
    list: async (query) => {
      assertWorkspace(state, query.ownerId);
      const own = [...state.services.values()].filter(({ item }) => item.ownerId === query.ownerId);
      return toPage<Service>(own, query, 'oldest');
    },
    get: async (id) => find(id).item,
    create: async (order) => createService({ state, deploys }, order),
    update: async (id, patch) => updateService({ state, deploys }, id, patch),
    remove: async (id) => {
      find(id);
      state.services.delete(id);
      for (const [deployId, { item }] of state.deploys) {
        if (item.serviceId === id) state.deploys.delete(deployId);
      }
    },
    restart: async (id) => {
      const { item } = find(id);
      if (item.type !== 'web_service') throw invalidParameter('serviceId', id, 'a web service');
      if (item.suspended === 'suspended') throw suspendedError(item);
      state.tell(id, 'server_restarted', {});
    },
    replaceEnvVars: async (id, given, { isMerged = false } = {}) => {
      const held = find(id);
      held.vars = mergeEnvVars(isMerged ? held.vars : [], given);
      if (held.item.suspended === 'suspended') return {};
      const isSourced = held.item.pushUrl === undefined || hasDeploys(state, id);
      return isSourced ? { deployId: deploys.start(held, 'service_updated').id } : {};
    },
    envVarNames: async (id) => find(id).vars.map(({ key }) => key),
    settingsUrl: (id) => settingsPageUrl(consolePageUrl(state.origin(), id)),
  };
}

interface Parts {
  readonly state: MemoryState;
  readonly deploys: MemoryDeploys;
}

function getService({ services }: MemoryState, id: string): StoredService {
  const found = services.get(id);
  if (found === undefined) throw missingResourceError(id);
  return found;
}

function createService({ state, deploys }: Parts, order: NewService) {
  assertWorkspace(state, order.ownerId);
  if (isNameTaken(state, order.ownerId, order.name)) throw nameTakenError(order.name);
  const service = createRecord(state, order);
  const stored = { seq: state.next(), item: service, vars: order.envVars, failing: new Map() };
  state.services.set(service.id, stored);
  if (order.repo === undefined) return { service };
  return { service, deployId: deploys.start(stored, 'first_build').id };
}

function updateService({ state, deploys }: Parts, id: string, patch: ServicePatch) {
  const held = getService(state, id);
  const { name } = patch;
  if (
    name !== undefined &&
    name !== held.item.name &&
    isNameTaken(state, held.item.ownerId, name)
  ) {
    throw nameTakenError(name);
  }
  const { service, events, trigger } = patchService(held.item, patch, state.now());
  held.item = service;
  for (const { type, details } of events) state.tell(id, type, details);
  const isDeployed = trigger !== undefined && service.suspended === 'not_suspended';
  return isDeployed ? { service, deployId: deploys.start(held, trigger).id } : { service };
}

/**
 * Verifies that a workspace exists.
 *
 * @throws {AppError} `RESOURCE_UNKNOWN`
 */
export function assertWorkspace({ options }: MemoryState, ownerId: string): void {
  if (!options.workspaces.some(({ id }) => id === ownerId)) throw missingResourceError(ownerId);
}

/** Creates the error for a name that another resource of the workspace has. */
export function nameTakenError(name: string): AppError {
  const message = `name: received ${JSON.stringify(name)}, allowed: a name that is not taken`;
  return new AppError('NAME_TAKEN', { message, data: { path: 'name', received: name } });
}

function hasDeploys({ deploys }: MemoryState, serviceId: string): boolean {
  return [...deploys.values()].some(({ item }) => item.serviceId === serviceId);
}

function isNameTaken({ services }: MemoryState, ownerId: string, name: string): boolean {
  return [...services.values()].some(({ item }) => item.ownerId === ownerId && item.name === name);
}

function createRecord(state: MemoryState, order: NewService): Service {
  const { random } = state.options;
  const slugs = new Set([...state.services.values()].map(({ item }) => item.slug));
  const slug = createSlug(order.name, (one) => slugs.has(one), random);
  const id = createHostedId(order.type === 'cron_job' ? 'cron_job' : 'service', random);
  const at = state.now();
  const { name, ownerId, autoDeploy, repo, branch = 'main' } = order;
  const base = {
    id,
    name,
    slug,
    ownerId,
    branch,
    autoDeploy,
    createdAt: at,
    updatedAt: at,
    repo: repo ?? '',
    ...(repo === undefined ? { pushUrl: `http://127.0.0.1/git/${id}` } : {}),
    suspended: 'not_suspended',
    suspenders: [],
    dashboardUrl: consolePageUrl(state.origin(), id),
  } as const;
  return { ...base, ...createDetails(order, `http://${slug}.localhost`, Date.parse(at)) };
}

function createDetails(order: NewService, url: string, now: number) {
  switch (order.type) {
    case 'web_service': {
      const { type, run, plan, region } = order;
      const serviceDetails = {
        ...run,
        plan,
        region,
        url,
        numInstances: 1,
        healthCheckPath: '',
        preDeployCommand: '',
        maxShutdownDelaySeconds: SHUTDOWN_DELAY_S,
      };
      return { type, serviceDetails };
    }
    case 'static_site': {
      const { type, buildCommand, publishPath } = order;
      return { type, serviceDetails: { buildCommand, publishPath, url } };
    }
    case 'cron_job': {
      const { type, run, plan, region, schedule } = order;
      const fault = findScheduleFault(schedule);
      if (fault !== undefined) throw invalidParameter('schedule', schedule, fault);
      const due = parseCron(schedule, 'UTC').next(now);
      const next = due === undefined ? {} : { nextRunAt: new Date(due).toISOString() };
      return { type, serviceDetails: { ...run, plan, region, schedule, ...next } };
    }
  }
}
