import type { JsonObject } from '../../../src/domain/common/json.ts';
import type { FailureReason } from '../../../src/domain/hosting/event-types.ts';
import type { HostingProvider } from '../../../src/domain/hosting/hosting.ts';
import { hostedId } from '../../../src/domain/hosting/ids.ts';
import type { Deploy, DeployStatus, DeployTrigger } from '../../../src/domain/hosting/records.ts';
import { refuseSuspended } from '../../../src/domain/hosting/suspension.ts';
import { writeLine } from './logs.ts';
import { invalid, pageOf, type Row, unknown } from './paging.ts';
import type { FailingStep, HeldService, MemoryState } from './state.ts';

/** States of an unfinished deploy. */
const UNDER_WAY: readonly DeployStatus[] = [
  'created',
  'queued',
  'build_in_progress',
  'pre_deploy_in_progress',
  'update_in_progress',
];
const COMMIT_BYTES = 20;

/** A deploy in progress, as used by its steps. */
interface Run {
  readonly row: Row<Deploy>;
  readonly service: HeldService;
  /** True if it was built before: a rollback reuses the build. */
  readonly isBuilt: boolean;
}

/** Deploys that advance with the clock, one at a time per service; others wait. */
export class MemoryDeploys {
  private readonly state: MemoryState;
  private readonly waiting = new Map<string, readonly Run[]>();

  constructor(state: MemoryState) {
    this.state = state;
  }

  /** The deploy operations of the provider interface. */
  get port(): HostingProvider['deploys'] {
    return {
      list: async (query) => {
        this.service(query.serviceId);
        const rows = [...this.state.deploys.values()];
        const own = rows.filter(({ item }) => item.serviceId === query.serviceId);
        return pageOf(own, query, 'newest');
      },
      get: async (serviceId, deployId) => this.find(serviceId, deployId).item,
      trigger: async (serviceId, { trigger = 'api' }) => {
        const service = this.service(serviceId);
        if (service.item.suspended === 'suspended') throw refuseSuspended(service.item);
        return this.begin(service, trigger);
      },
      cancel: async (serviceId, deployId) => this.cancel(serviceId, deployId),
      rollback: async (serviceId, deployId) => {
        const { status } = this.find(serviceId, deployId).item;
        if (status !== 'deactivated') {
          throw invalid('deployId', deployId, `a previously live deploy; this one is ${status}`);
        }
        return this.begin(this.service(serviceId), 'rollback', true);
      },
    };
  }

  /** Starts or queues a deploy. */
  begin(service: HeldService, trigger: DeployTrigger, isBuilt = false): Deploy {
    const { state } = this;
    const { random } = state.options;
    const at = state.now();
    const id = hostedId('deploy', random);
    const serviceId = service.item.id;
    const commit = { id: hex(random.bytes(COMMIT_BYTES)), message: 'A commit', createdAt: at };
    const item: Deploy = {
      ...{ id, serviceId, commit, status: 'queued', trigger, createdAt: at, updatedAt: at },
    };
    const run: Run = { row: { seq: state.next(), item }, service, isBuilt };
    state.deploys.set(id, run.row);
    const line = this.waiting.get(serviceId) ?? [];
    this.waiting.set(serviceId, [...line, run]);
    if (line.length === 0) this.later(run, () => this.build(run));
    if (trigger !== 'new_commit') this.takePlace(serviceId, id, line);
    return item;
  }

  private cancel(serviceId: string, deployId: string): Deploy {
    const row = this.find(serviceId, deployId);
    const { status } = row.item;
    if (!UNDER_WAY.includes(status)) {
      throw invalid('deployId', deployId, `a deploy in progress; this one is ${status}`);
    }
    this.endEarly(serviceId, row);
    return row.item;
  }

  /** An explicit deploy cancels those queued, built or started before it; a migration continues. */
  private takePlace(serviceId: string, by: string, line: readonly Run[]): void {
    for (const { row } of line) {
      if (row.item.status === 'pre_deploy_in_progress') continue;
      this.endEarly(serviceId, row, { reason: { evicted: `${by} took its place` } });
    }
  }

  private endEarly(serviceId: string, row: Row<Deploy>, more: Partial<Deploy> = {}): void {
    const { state } = this;
    const { id: deployId, status } = row.item;
    const isFirst = this.waiting.get(serviceId)?.[0]?.row === row;
    this.set(row, 'canceled', more);
    if (status === 'build_in_progress') {
      state.tell(serviceId, 'build_ended', { buildId: deployId, buildStatus: 'canceled' });
    }
    if (status !== 'queued') {
      state.tell(serviceId, 'deploy_ended', { deployId, deployStatus: 'canceled' });
    }
    this.leave(serviceId, row, isFirst);
  }

  private build(run: Run): void {
    const { row, service, isBuilt } = run;
    const { id } = service.item;
    const details = { deployId: row.item.id, trigger: row.item.trigger };
    this.state.tell(id, 'deploy_started', details);
    if (isBuilt) {
      this.update(run);
      return;
    }
    this.set(row, 'build_in_progress');
    this.state.tell(id, 'build_started', { buildId: row.item.id, ...details });
    this.log(run, 'build', 'Building');
    this.later(run, () => this.built(run));
  }

  private built(run: Run): void {
    const { row, service } = run;
    const reason = failureOf(run, 'build');
    const buildStatus = reason === undefined ? 'succeeded' : 'failed';
    const ended = { buildId: row.item.id, buildStatus, ...reasonOf(reason) };
    this.state.tell(service.item.id, 'build_ended', ended);
    if (reason !== undefined) {
      this.fail(run, 'build_failed', reason);
      return;
    }
    this.log(run, 'build', 'Built');
    if (hasPreDeploy(service)) this.preDeploy(run);
    else this.update(run);
  }

  private preDeploy(run: Run): void {
    const { row, service } = run;
    const deployId = row.item.id;
    this.set(row, 'pre_deploy_in_progress');
    this.state.tell(service.item.id, 'pre_deploy_started', { deployId });
    this.later(run, () => {
      const reason = failureOf(run, 'pre_deploy');
      const preDeployStatus = reason === undefined ? 'succeeded' : 'failed';
      const details = { deployId, preDeployStatus, ...reasonOf(reason) };
      this.state.tell(service.item.id, 'pre_deploy_ended', details);
      if (reason === undefined) this.update(run);
      else this.fail(run, 'pre_deploy_failed', reason);
    });
  }

  private update(run: Run): void {
    this.set(run.row, 'update_in_progress');
    this.later(run, () => {
      const reason = failureOf(run, 'update');
      if (reason === undefined) this.live(run);
      else this.fail(run, 'update_failed', reason);
    });
  }

  private live(run: Run): void {
    const { row, service } = run;
    for (const other of this.state.deploys.values()) {
      const { serviceId, status } = other.item;
      if (serviceId === service.item.id && status === 'live') this.set(other, 'deactivated');
    }
    this.set(row, 'live');
    const details = { deployId: row.item.id, deployStatus: 'succeeded' };
    this.state.tell(service.item.id, 'deploy_ended', details);
    this.log(run, 'app', 'Listening');
    this.leave(service.item.id, row, true);
  }

  private fail(run: Run, status: DeployStatus, reason: FailureReason): void {
    const { row, service } = run;
    const { id } = service.item;
    if (status === 'update_failed') this.state.tell(id, 'server_failed', reasonOf(reason));
    this.set(row, status, { reason });
    const details = { deployId: row.item.id, deployStatus: 'failed', ...reasonOf(reason) };
    this.state.tell(id, 'deploy_ended', details);
    this.leave(id, row, true);
  }

  /** Removes a deploy from its queue and starts the next one if this was the first. */
  private leave(serviceId: string, row: Row<Deploy>, isFirst: boolean): void {
    const line = (this.waiting.get(serviceId) ?? []).filter((run) => run.row !== row);
    this.waiting.set(serviceId, line);
    const [next] = line;
    if (isFirst && next !== undefined) this.later(next, () => this.build(next));
  }

  /** Skips a step if the deploy was canceled or its service was removed. */
  private later(run: Run, step: () => void): void {
    const { clock } = this.state.options;
    clock.at(clock.now() + this.state.stepMs, () => {
      const isThere = this.state.services.has(run.service.item.id);
      if (isThere && UNDER_WAY.includes(run.row.item.status)) step();
    });
  }

  private set(row: Row<Deploy>, status: DeployStatus, more: Partial<Deploy> = {}): void {
    const at = this.state.now();
    const end = UNDER_WAY.includes(status) ? {} : { finishedAt: at };
    const begun = row.item.startedAt === undefined ? { startedAt: at } : {};
    row.item = { ...row.item, ...begun, status, updatedAt: at, ...end, ...more };
  }

  private log({ service }: Run, type: 'build' | 'app', message: string): void {
    const resource = service.item.id;
    const labels = { resource, type, level: 'info', instance: `${resource}-0` } as const;
    writeLine(this.state, labels, message);
  }

  private service(serviceId: string): HeldService {
    const service = this.state.services.get(serviceId);
    if (service === undefined) throw unknown(serviceId);
    return service;
  }

  private find(serviceId: string, deployId: string): Row<Deploy> {
    this.service(serviceId);
    const row = this.state.deploys.get(deployId);
    if (row === undefined || row.item.serviceId !== serviceId) throw unknown(deployId);
    return row;
  }
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
