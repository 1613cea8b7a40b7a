import { AppError } from '../../../src/domain/common/error.ts';
import { canonicalJson } from '../../../src/domain/common/json.ts';
import { hostedPage, settingsPage } from '../../../src/domain/hosting/console-pages.ts';
import { mergeVars } from '../../../src/domain/hosting/given-env.ts';
import type {
  HostingProvider,
  NewService,
  ServicePatch,
} from '../../../src/domain/hosting/hosting.ts';
import { hostedId, slugOf } from '../../../src/domain/hosting/ids.ts';
import type { Service } from '../../../src/domain/hosting/records.ts';
import { nextRun, parseSchedule } from '../../../src/domain/hosting/schedule.ts';
import { refuseSuspended } from '../../../src/domain/hosting/suspension.ts';
import type { MemoryDeploys } from './deploys.ts';
import { invalid, pageOf, unknown } from './paging.ts';
import { patchService } from './patch-service.ts';
import type { HeldService, MemoryState } from './state.ts';

const SHUTDOWN_DELAY_S = 30;

/** Creates the in-memory services. */
export function memoryServices(
  state: MemoryState,
  deploys: MemoryDeploys,
): HostingProvider['services'] {
  const find = (id: string): HeldService => heldIn(state, id);
  return {
    list: async (query) => {
      mustHave(state, query.ownerId);
      const own = [...state.services.values()].filter(({ item }) => item.ownerId === query.ownerId);
      return pageOf<Service>(own, query, 'oldest');
    },
    get: async (id) => find(id).item,
    create: async (order, key) => create({ state, deploys }, order, key),
    update: async (id, patch) => update({ state, deploys }, id, patch),
    remove: async (id) => {
      find(id);
      state.services.delete(id);
      for (const [deployId, { item }] of state.deploys) {
        if (item.serviceId === id) state.deploys.delete(deployId);
      }
    },
    restart: async (id) => {
      const { item } = find(id);
      if (item.type !== 'web_service') throw invalid('serviceId', id, 'a web service');
      if (item.suspended === 'suspended') throw refuseSuspended(item);
      state.tell(id, 'server_restarted', {});
    },
    replaceEnvVars: async (id, given, { isMerged = false } = {}) => {
      const held = find(id);
      held.vars = mergeVars(isMerged ? held.vars : [], given);
      if (held.item.suspended === 'suspended') return {};
      const isSourced = held.item.pushUrl === undefined || hasDeploys(state, id);
      return isSourced ? { deployId: deploys.begin(held, 'service_updated').id } : {};
    },
    envVarNames: async (id) => find(id).vars.map(({ key }) => key),
    settingsUrl: (id) => settingsPage(hostedPage(state.origin(), id)),
  };
}

interface Parts {
  readonly state: MemoryState;
  readonly deploys: MemoryDeploys;
}

function heldIn({ services }: MemoryState, id: string): HeldService {
  const found = services.get(id);
  if (found === undefined) throw unknown(id);
  return found;
}

function create({ state, deploys }: Parts, order: NewService, given?: string) {
  const key = given === undefined ? undefined : `service ${given}`;
  mustHave(state, order.ownerId);
  const known = key === undefined ? undefined : state.orders.get(key);
  if (known !== undefined) return again(known, order, (id) => heldIn(state, id));
  if (isNamed(state, order.ownerId, order.name)) throw nameTaken(order.name);
  const service = newService(state, order);
  const held = { seq: state.next(), item: service, vars: order.envVars, failing: new Map() };
  state.services.set(service.id, held);
  if (key !== undefined) {
    state.orders.set(key, { order: canonicalJson(order), id: service.id });
  }
  if (order.repo === undefined) return { service };
  return { service, deployId: deploys.begin(held, 'first_build').id };
}

function update({ state, deploys }: Parts, id: string, patch: ServicePatch) {
  const held = heldIn(state, id);
  const { name } = patch;
  if (name !== undefined && name !== held.item.name && isNamed(state, held.item.ownerId, name)) {
    throw nameTaken(name);
  }
  const { service, events, trigger } = patchService(held.item, patch, state.now());
  held.item = service;
  for (const { type, details } of events) state.tell(id, type, details);
  const isDeployed = trigger !== undefined && service.suspended === 'not_suspended';
  return isDeployed ? { service, deployId: deploys.begin(held, trigger).id } : { service };
}

/**
 * Verifies that a workspace exists.
 *
 * @throws {AppError} `RESOURCE_UNKNOWN`
 */
export function mustHave({ options }: MemoryState, ownerId: string): void {
  if (!options.workspaces.some(({ id }) => id === ownerId)) throw unknown(ownerId);
}

/** Creates the error for a name that another resource of the workspace has. */
export function nameTaken(name: string): AppError {
  const message = `name: received ${JSON.stringify(name)}, allowed: a name that is not taken`;
  return new AppError('NAME_TAKEN', { message, data: { path: 'name', received: name } });
}

function hasDeploys({ deploys }: MemoryState, serviceId: string): boolean {
  return [...deploys.values()].some(({ item }) => item.serviceId === serviceId);
}

function isNamed({ services }: MemoryState, ownerId: string, name: string): boolean {
  return [...services.values()].some(({ item }) => item.ownerId === ownerId && item.name === name);
}

function again(
  known: { readonly order: string; readonly id: string },
  order: NewService,
  find: (id: string) => HeldService,
) {
  if (known.order === canonicalJson(order)) return { service: find(known.id).item };
  throw invalid('key', 'the key of another order', 'the same order again, or another key');
}

function newService(state: MemoryState, order: NewService): Service {
  const { random } = state.options;
  const slugs = new Set([...state.services.values()].map(({ item }) => item.slug));
  const slug = slugOf(order.name, (one) => slugs.has(one), random);
  const id = hostedId(order.type === 'cron_job' ? 'cron_job' : 'service', random);
  const at = state.now();
  const { name, ownerId, autoDeploy, repo, branch = 'main' } = order;
  const base = {
    ...{ id, name, slug, ownerId, branch, autoDeploy, createdAt: at, updatedAt: at },
    repo: repo ?? '',
    ...(repo === undefined ? { pushUrl: `http://127.0.0.1/git/${id}` } : {}),
    suspended: 'not_suspended',
    suspenders: [],
    dashboardUrl: hostedPage(state.origin(), id),
  } as const;
  return { ...base, ...detailsOf(order, `http://${slug}.localhost`, Date.parse(at)) };
}

function detailsOf(order: NewService, url: string, now: number) {
  switch (order.type) {
    case 'web_service': {
      const { type, run, plan, region } = order;
      const serviceDetails = {
        ...run,
        ...{ plan, region, url, numInstances: 1, healthCheckPath: '', preDeployCommand: '' },
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
      const parsed = parseSchedule(schedule);
      if ('fault' in parsed) throw invalid('schedule', schedule, parsed.fault);
      const due = nextRun(parsed, now);
      const next = due === undefined ? {} : { nextRunAt: new Date(due).toISOString() };
      return { type, serviceDetails: { ...run, plan, region, schedule, ...next } };
    }
  }
}
