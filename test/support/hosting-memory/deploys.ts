import type { JsonObject } from '../../../src/domain/common/json.ts';
import type { HostingProvider } from '../../../src/domain/hosting/hosting.ts';
import { createHostedId } from '../../../src/domain/hosting/ids.ts';
import type {
  Deploy,
  DeployStatus,
  DeployTrigger,
  FailureReason,
} from '../../../src/domain/hosting/records.ts';
import { suspendedError } from '../../../src/domain/hosting/suspension.ts';
import { writeLine } from './logs.ts';
import { invalidParameter, missingResourceError, type StoredRow, toPage } from './paging.ts';
import type { FailingStep, MemoryState, StoredService } from './state.ts';

/** States of an unfinished deploy. */
const UNFINISHED: readonly DeployStatus[] = [
  'created',
  'queued',
  'build_in_progress',
  'pre_deploy_in_progress',
  'update_in_progress',
];
const COMMIT_BYTES = 20;

/** A deploy in progress, as used by its steps. */
interface DeployRun {
  readonly row: StoredRow<Deploy>;
  readonly service: StoredService;
  /** True if it was built before: a rollback reuses the build. */
  readonly isBuilt: boolean;
}

/** Deploys that advance with the clock, one at a time per service; others wait. */
export class MemoryDeploys {
  private readonly state: MemoryState;
  private readonly waiting = new Map<string, readonly DeployRun[]>();

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
        return toPage(own, query, 'newest');
      },
      get: async (serviceId, deployId) => this.find(serviceId, deployId).item,
      trigger: async (serviceId, { trigger = 'api' }) => {
        const service = this.service(serviceId);
        if (service.item.suspended === 'suspended') throw suspendedError(service.item);
        return this.start(service, trigger);
      },
      cancel: async (serviceId, deployId) => this.cancel(serviceId, deployId),
      rollback: async (serviceId, deployId) => {
        const { status } = this.find(serviceId, deployId).item;
        if (status !== 'deactivated') {
          throw invalidParameter(
            'deployId',
            deployId,
            `a previously live deploy; this one is ${status}`,
          );
        }
        return this.start(this.service(serviceId), 'rollback', true);
      },
    };
  }

  /** Starts or queues a deploy. */
  start(service: StoredService, trigger: DeployTrigger, isBuilt = false): Deploy {
    const { state } = this;
    const { random } = state.options;
    const at = state.now();
    const id = createHostedId('deploy', random);
    const serviceId = service.item.id;
    const commit = { id: toHex(random.bytes(COMMIT_BYTES)), message: 'A commit', createdAt: at };
    const item: Deploy = {
      id,
      serviceId,
      commit,
      status: 'queued',
      trigger,
      createdAt: at,
      updatedAt: at,
    };
    const run: DeployRun = { row: { seq: state.next(), item }, service, isBuilt };
    state.deploys.set(id, run.row);
    const queue = this.waiting.get(serviceId) ?? [];
    this.waiting.set(serviceId, [...queue, run]);
    if (queue.length === 0) this.scheduleStep(run, () => this.build(run));
    if (trigger !== 'new_commit') this.cancelEarlier(serviceId, id, queue);
    return item;
  }

  private cancel(serviceId: string, deployId: string): Deploy {
    const row = this.find(serviceId, deployId);
    const { status } = row.item;
    if (!UNFINISHED.includes(status)) {
      throw invalidParameter('deployId', deployId, `a deploy in progress; this one is ${status}`);
    }
    this.cancelRun(serviceId, row);
    return row.item;
  }

  /** An explicit deploy cancels those queued, built or started before it; a migration continues. */
  private cancelEarlier(serviceId: string, by: string, line: readonly DeployRun[]): void {
    for (const { row } of line) {
      if (row.item.status === 'pre_deploy_in_progress') continue;
      this.cancelRun(serviceId, row, { reason: { evicted: `${by} took its place` } });
    }
  }

  private cancelRun(serviceId: string, row: StoredRow<Deploy>, more: Partial<Deploy> = {}): void {
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
    this.dequeue(serviceId, row, isFirst);
  }

  private build(run: DeployRun): void {
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
    this.scheduleStep(run, () => this.finishBuild(run));
  }

  private finishBuild(run: DeployRun): void {
    const { row, service } = run;
    const reason = takeFailure(run, 'build');
    const buildStatus = reason === undefined ? 'succeeded' : 'failed';
    const ended = { buildId: row.item.id, buildStatus, ...toReasonDetails(reason) };
    this.state.tell(service.item.id, 'build_ended', ended);
    if (reason !== undefined) {
      this.fail(run, 'build_failed', reason);
      return;
    }
    this.log(run, 'build', 'Built');
    if (hasPreDeploy(service)) this.preDeploy(run);
    else this.update(run);
  }

  private preDeploy(run: DeployRun): void {
    const { row, service } = run;
    const deployId = row.item.id;
    this.set(row, 'pre_deploy_in_progress');
    this.state.tell(service.item.id, 'pre_deploy_started', { deployId });
    this.scheduleStep(run, () => {
      const reason = takeFailure(run, 'pre_deploy');
      const preDeployStatus = reason === undefined ? 'succeeded' : 'failed';
      const details = { deployId, preDeployStatus, ...toReasonDetails(reason) };
      this.state.tell(service.item.id, 'pre_deploy_ended', details);
      if (reason === undefined) this.update(run);
      else this.fail(run, 'pre_deploy_failed', reason);
    });
  }

  private update(run: DeployRun): void {
    this.set(run.row, 'update_in_progress');
    this.scheduleStep(run, () => {
      const reason = takeFailure(run, 'update');
      if (reason === undefined) this.goLive(run);
      else this.fail(run, 'update_failed', reason);
    });
  }

  private goLive(run: DeployRun): void {
    const { row, service } = run;
    for (const other of this.state.deploys.values()) {
      const { serviceId, status } = other.item;
      if (serviceId === service.item.id && status === 'live') this.set(other, 'deactivated');
    }
    this.set(row, 'live');
    const details = { deployId: row.item.id, deployStatus: 'succeeded' };
    this.state.tell(service.item.id, 'deploy_ended', details);
    this.log(run, 'app', 'Listening');
    this.dequeue(service.item.id, row, true);
  }

  private fail(run: DeployRun, status: DeployStatus, reason: FailureReason): void {
    const { row, service } = run;
    const { id } = service.item;
    if (status === 'update_failed') this.state.tell(id, 'server_failed', toReasonDetails(reason));
    this.set(row, status, { reason });
    const details = { deployId: row.item.id, deployStatus: 'failed', ...toReasonDetails(reason) };
    this.state.tell(id, 'deploy_ended', details);
    this.dequeue(id, row, true);
  }

  /** Removes a deploy from its queue and starts the next one if this was the first. */
  private dequeue(serviceId: string, row: StoredRow<Deploy>, isFirst: boolean): void {
    const line = (this.waiting.get(serviceId) ?? []).filter((run) => run.row !== row);
    this.waiting.set(serviceId, line);
    const [next] = line;
    if (isFirst && next !== undefined) this.scheduleStep(next, () => this.build(next));
  }

  /** Skips a step if the deploy was canceled or its service was removed. */
  private scheduleStep(run: DeployRun, step: () => void): void {
    const { clock } = this.state.options;
    clock.at(clock.now() + this.state.stepMs, () => {
      const isThere = this.state.services.has(run.service.item.id);
      if (isThere && UNFINISHED.includes(run.row.item.status)) step();
    });
  }

  private set(row: StoredRow<Deploy>, status: DeployStatus, more: Partial<Deploy> = {}): void {
    const at = this.state.now();
    const end = UNFINISHED.includes(status) ? {} : { finishedAt: at };
    const begun = row.item.startedAt === undefined ? { startedAt: at } : {};
    row.item = { ...row.item, ...begun, status, updatedAt: at, ...end, ...more };
  }

  private log({ service }: DeployRun, type: 'build' | 'app', message: string): void {
    const resource = service.item.id;
    const labels = { resource, type, level: 'info', instance: `${resource}-0` } as const;
    writeLine(this.state, labels, message);
  }

  private service(serviceId: string): StoredService {
    const service = this.state.services.get(serviceId);
    if (service === undefined) throw missingResourceError(serviceId);
    return service;
  }

  private find(serviceId: string, deployId: string): StoredRow<Deploy> {
    this.service(serviceId);
    const row = this.state.deploys.get(deployId);
    if (row === undefined || row.item.serviceId !== serviceId) throw missingResourceError(deployId);
    return row;
  }
}

function hasPreDeploy({ item }: StoredService): boolean {
  return item.type === 'web_service' && item.serviceDetails.preDeployCommand !== '';
}

function takeFailure({ service }: DeployRun, step: FailingStep): FailureReason | undefined {
  const reason = service.failing.get(step);
  service.failing.delete(step);
  return reason;
}

function toReasonDetails(reason: FailureReason | undefined): JsonObject {
  return reason === undefined ? {} : { reason: { failure: { ...reason } } };
}

function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
