import {
  CLIENT_CAPABILITIES_META_KEY,
  SUBSCRIPTION_ID_META_KEY,
} from '@modelcontextprotocol/server';
import { isObject } from '../../../domain/common/json.ts';
import { isFinished, type JobState, type Jobs } from '../../../domain/job/job.ts';
import type { RpcId, RpcMessage } from '../json-rpc.ts';
import { describeTask } from './extension-tasks.ts';
import { FOLLOWED_MAX, TaskFollower } from './follower.ts';

/** A `subscriptions/listen` request for tasks. */
export interface SubscriptionRequest {
  readonly id: RpcId;
  /** At most `FOLLOWED_MAX` ids. */
  readonly taskIds: readonly string[];
  readonly capabilities: Readonly<Record<string, unknown>>;
}

/** Parses a subscription to tasks. Returns `undefined` for other messages. */
export function parseSubscription(
  message: RpcMessage | undefined,
): SubscriptionRequest | undefined {
  if (message?.kind !== 'request' || message.method !== 'subscriptions/listen') return undefined;
  const { notifications, _meta: meta } = message.params;
  const taskIds = isObject(notifications) ? notifications['taskIds'] : undefined;
  if (!Array.isArray(taskIds)) return undefined;
  const declared = isObject(meta) ? meta[CLIENT_CAPABILITIES_META_KEY] : undefined;
  const texts = taskIds.filter((taskId): taskId is string => typeof taskId === 'string');
  return {
    id: message.id,
    taskIds: [...new Set(texts)].slice(0, FOLLOWED_MAX),
    capabilities: isObject(declared) ? declared : {},
  };
}

/** One task subscription: acknowledges its tasks, reports changes, and ends after the last task. */
export class TaskSubscription {
  private readonly jobs: Jobs;
  private readonly request: SubscriptionRequest;
  private readonly send: (message: object) => void;
  private readonly follower: TaskFollower;
  private isEnded = false;

  /** @param send - Sends a message to the client. The last one is the result of the request. */
  constructor(jobs: Jobs, wish: SubscriptionRequest, send: (message: object) => void) {
    this.jobs = jobs;
    this.request = wish;
    this.send = send;
    this.follower = new TaskFollower(jobs, (job) => this.report(job));
  }

  /** Starts to report. The acknowledgement omits unknown tasks. */
  async start(): Promise<void> {
    const found = await Promise.all(this.request.taskIds.map((taskId) => this.jobs.state(taskId)));
    if (this.isEnded) return;
    const known = found.filter((job) => job !== undefined);
    const notifications = { taskIds: known.map(({ jobId }) => jobId) };
    this.notify('notifications/subscriptions/acknowledged', { notifications });
    for (const job of known) this.follower.follow(job);
    // A task that has already ended would otherwise never be reported.
    for (const job of known.filter(isFinished)) this.report(job);
    this.endWhenDone();
  }

  /** Ends without a message, or with the result of the request. */
  end(how: 'silently' | 'answered'): void {
    if (this.isEnded) return;
    this.isEnded = true;
    this.follower.stop();
    if (how === 'silently') return;
    const { id } = this.request;
    const result = { resultType: 'complete', _meta: { [SUBSCRIPTION_ID_META_KEY]: id } };
    this.send({ jsonrpc: '2.0', id, result });
  }

  private report(job: JobState): void {
    this.notify('notifications/tasks', describeTask(job, this.request.capabilities));
    this.endWhenDone();
  }

  private endWhenDone(): void {
    if (this.follower.size === 0) this.end('answered');
  }

  private notify(method: string, params: object): void {
    if (this.isEnded) return;
    const meta = { [SUBSCRIPTION_ID_META_KEY]: this.request.id };
    this.send({ jsonrpc: '2.0', method, params: { ...params, _meta: meta } });
  }
}
