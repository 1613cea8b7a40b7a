import type { FailureReason } from '../../../domain/hosting/event-types.ts';
import { hostedId } from '../../../domain/hosting/ids.ts';
import type { Deploy, DeployStatus, DeployTrigger } from '../../../domain/hosting/records.ts';
import type { JsonObject } from '../../../domain/json.ts';
import type { HostingProvider } from '../../../domain/ports/hosting.ts';
import { writeLine } from './logs.ts';
import { invalid, pageOf, type Row, unknown } from './paging.ts';
import type { FailingStep, HeldService, MemoryState } from './state.ts';

/** States of a deploy that has not come to its end. */
const UNDER_WAY: readonly DeployStatus[] = [
  'created',
  'queued',
  'build_in_progress',
  'pre_deploy_in_progress',
  'update_in_progress',
];
const COMMIT_BYTES = 20;

/** Deploys that move when the clock does. */
export interface MemoryDeploys {
  readonly port: HostingProvider['deploys'];
  begin(service: HeldService, trigger: DeployTrigger, isBuilt?: boolean): Deploy;
}

/** One deploy under way, as its steps see it. */
interface Run {
  readonly row: Row<Deploy>;
  readonly service: HeldService;
  /** Built before: a rollback takes what is there. */
  readonly isBuilt: boolean;
}

/** Makes the deploys of a state. One at a time for each service; others wait in turn. */
export function memoryDeploys(state: MemoryState): MemoryDeploys {
  const waiting = new Map<string, Run[]>();
  const { clock, random } = state.options;

  function find(serviceId: string, deployId: string): Row<Deploy> {
    if (!state.services.has(serviceId)) throw unknown(serviceId);
    const row = state.deploys.get(deployId);
    if (row === undefined || row.item.serviceId !== serviceId) throw unknown(deployId);
    return row;
  }

  function set(row: Row<Deploy>, status: DeployStatus, more: Partial<Deploy> = {}): void {
    const at = state.now();
    const end = UNDER_WAY.includes(status) ? {} : { finishedAt: at };
    const begun = row.item.startedAt === undefined ? { startedAt: at } : {};
    row.item = { ...row.item, ...begun, status, updatedAt: at, ...end, ...more };
  }

  function begin(service: HeldService, trigger: DeployTrigger, isBuilt = false): Deploy {
    const at = state.now();
    const id = hostedId('deploy', random);
    const serviceId = service.item.id;
    const commit = { id: hex(random.bytes(COMMIT_BYTES)), message: 'A commit', createdAt: at };
    const item: Deploy = {
      ...{ id, serviceId, commit, status: 'queued', trigger, createdAt: at, updatedAt: at },
    };
    const run: Run = { row: { seq: state.next(), item }, service, isBuilt };
    state.deploys.set(id, run.row);
    const line = waiting.get(serviceId) ?? [];
    waiting.set(serviceId, [...line, run]);
    if (line.length === 0) later(() => build(run));
    return item;
  }

  function later(step: () => void): void {
    clock.at(clock.now() + state.stepMs, step);
  }

  /** The step of a deploy that was cancelled, or whose service has gone, does not come. */
  function isOver({ row, service }: Run): boolean {
    const isGone = !state.services.has(service.item.id);
    return isGone || !UNDER_WAY.includes(row.item.status);
  }

  function build(run: Run): void {
    if (isOver(run)) return;
    const { row, service, isBuilt } = run;
    const details = { deployId: row.item.id, trigger: row.item.trigger };
    state.tell(service.item.id, 'deploy_started', details);
    if (isBuilt) return update(run);
    set(row, 'build_in_progress');
    state.tell(service.item.id, 'build_started', { buildId: row.item.id, ...details });
    log(run, 'build', 'Building');
    later(() => {
      if (isOver(run)) return;
      const reason = failureOf(run, 'build');
      const buildStatus = reason === undefined ? 'succeeded' : 'failed';
      state.tell(service.item.id, 'build_ended', {
        ...{ buildId: row.item.id, buildStatus },
        ...reasonOf(reason),
      });
      if (reason !== undefined) return fail(run, 'build_failed', reason);
      log(run, 'build', 'Built');
      if (hasPreDeploy(service)) preDeploy(run);
      else update(run);
    });
  }

  function preDeploy(run: Run): void {
    const { row, service } = run;
    set(row, 'pre_deploy_in_progress');
    state.tell(service.item.id, 'pre_deploy_started', { deployId: row.item.id });
    later(() => {
      if (isOver(run)) return;
      const reason = failureOf(run, 'pre_deploy');
      const preDeployStatus = reason === undefined ? 'succeeded' : 'failed';
      const details = { deployId: row.item.id, preDeployStatus, ...reasonOf(reason) };
      state.tell(service.item.id, 'pre_deploy_ended', details);
      if (reason === undefined) update(run);
      else fail(run, 'pre_deploy_failed', reason);
    });
  }

  function update(run: Run): void {
    set(run.row, 'update_in_progress');
    later(() => {
      if (isOver(run)) return;
      const reason = failureOf(run, 'update');
      if (reason === undefined) live(run);
      else fail(run, 'update_failed', reason);
    });
  }

  function live(run: Run): void {
    const { row, service } = run;
    for (const other of state.deploys.values()) {
      const { serviceId, status } = other.item;
      if (serviceId === service.item.id && status === 'live') set(other, 'deactivated');
    }
    set(row, 'live');
    const details = { deployId: row.item.id, deployStatus: 'succeeded' };
    state.tell(service.item.id, 'deploy_ended', details);
    log(run, 'app', 'Listening');
    goOn(run);
  }

  function fail(run: Run, status: DeployStatus, reason: FailureReason): void {
    const { row, service } = run;
    if (status === 'update_failed') state.tell(service.item.id, 'server_failed', reasonOf(reason));
    set(row, status, { reason });
    const details = { deployId: row.item.id, deployStatus: 'failed', ...reasonOf(reason) };
    state.tell(service.item.id, 'deploy_ended', details);
    goOn(run);
  }

  function goOn({ row, service }: Run): void {
    const { id } = service.item;
    const line = (waiting.get(id) ?? []).filter((other) => other.row !== row);
    waiting.set(id, line);
    const [next] = line;
    if (next !== undefined && next.row.item.status === 'queued') later(() => build(next));
  }

  function cancel(serviceId: string, deployId: string): Deploy {
    const row = find(serviceId, deployId);
    const { status } = row.item;
    if (!UNDER_WAY.includes(status)) {
      throw invalid('deployId', deployId, `a deploy that is under way; this one is ${status}`);
    }
    const isBuilding = status === 'build_in_progress';
    const isFirst = waiting.get(serviceId)?.[0]?.row === row;
    set(row, 'canceled');
    const canceled = { buildId: deployId, buildStatus: 'canceled' };
    if (isBuilding) state.tell(serviceId, 'build_ended', canceled);
    if (status !== 'queued') {
      state.tell(serviceId, 'deploy_ended', { deployId, deployStatus: 'canceled' });
    }
    const line = (waiting.get(serviceId) ?? []).filter((run) => run.row !== row);
    waiting.set(serviceId, line);
    const [next] = line;
    if (isFirst && next !== undefined) later(() => build(next));
    return row.item;
  }

  function log({ service }: Run, type: 'build' | 'app', message: string): void {
    const resource = service.item.id;
    writeLine(state, { resource, type, level: 'info', instance: `${resource}-0` }, message);
  }

  return {
    begin,
    port: {
      list: async (query) => {
        if (!state.services.has(query.serviceId)) throw unknown(query.serviceId);
        const rows = [...state.deploys.values()];
        const own = rows.filter(({ item }) => item.serviceId === query.serviceId);
        return pageOf(own, query, 'newest');
      },
      get: async (serviceId, deployId) => find(serviceId, deployId).item,
      trigger: async (serviceId, { trigger = 'api' }) => {
        const service = state.services.get(serviceId);
        if (service === undefined) throw unknown(serviceId);
        if (service.item.suspended === 'suspended') throw isSuspended(serviceId);
        return begin(service, trigger);
      },
      cancel: async (serviceId, deployId) => cancel(serviceId, deployId),
      rollback: async (serviceId, deployId) => {
        const { status } = find(serviceId, deployId).item;
        const service = state.services.get(serviceId);
        if (service === undefined) throw unknown(serviceId);
        if (status !== 'deactivated') {
          throw invalid('deployId', deployId, `a deploy that was live; this one is ${status}`);
        }
        return begin(service, 'rollback', true);
      },
    },
  };
}

/** What is wrong with an order for a service that is suspended. */
export function isSuspended(serviceId: string) {
  return invalid('serviceId', serviceId, 'a service that is not suspended; resume it first');
}

function hasPreDeploy({ item }: HeldService): boolean {
  return item.type === 'web_service' && item.serviceDetails.preDeployCommand !== '';
}

function failureOf({ service }: Run, step: FailingStep): FailureReason | undefined {
  const reason = service.failing.get(step);
  service.failing.delete(step);
  return reason;
}

function reasonOf(reason: FailureReason | undefined): JsonObject {
  return reason === undefined ? {} : { reason: { failure: { ...reason } } };
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
