import {
  PUSHES_MAX,
  type PushNotifications,
  type PushRow,
  type PushStore,
  type PushView,
  TASK_PUSHES_MAX,
} from '../../domain/agent-protocol/push.ts';
import { toTask } from '../../domain/agent-protocol/task.ts';
import {
  type A2aItem,
  type PushOrder,
  type TaskState,
  toStatusUpdate,
} from '../../domain/agent-protocol/wire.ts';
import { AppError, toAppError } from '../../domain/common/error.ts';
import { hashJson } from '../../domain/common/hash.ts';
import { createCapability } from '../../domain/common/id.ts';
import type { Sealer } from '../../domain/common/sealer.ts';
import { HOUR_MS } from '../../domain/common/time.ts';
import { isFinished, type JobState, type Jobs } from '../../domain/job/job.ts';
import type { WebhookDelivery } from '../../domain/notification/notifier.ts';
import type { Services } from '../common/services.ts';
import { NOTICE_KIND } from '../notification/notice-definition.ts';

/** How long the configurations of a task that was never paid are kept, in milliseconds. */
const UNPAID_MS = HOUR_MS;
/** Longest text of a notification, in characters. */
const TEXT_CHARS_MAX = 2_000;
const CONTENT_TYPE = 'application/a2a+json';

interface Followed {
  stop: () => void;
  /** What was sent last. */
  lastKey: string;
}

type Ports = Pick<Services, 'clock' | 'engine' | 'notice' | 'notifier' | 'random'> & {
  readonly jobs: Jobs;
  readonly store: PushStore;
  readonly sealer: Sealer;
};

/**
 * Push notifications whose configurations and deliveries survive a restart. Each delivery is a
 * notice actor, which retries; a change of status may be delivered twice.
 */
export class TaskPushes implements PushNotifications {
  readonly #ports: Ports;
  readonly #followed = new Map<string, Followed>();
  /** The status that each task had when its address was checked. */
  readonly #shown = new Map<string, TaskState>();
  /** When the configurations of tasks that were never paid were last removed. */
  #cleanedAt = 0;

  constructor(ports: Ports) {
    this.#ports = ports;
  }

  /** Follows all tasks again that have a configuration. Removes those that were never paid. */
  async start(): Promise<void> {
    const { clock, jobs, store } = this.#ports;
    const now = clock.now();
    this.#cleanedAt = now;
    const unpaid: PushRow[] = [];
    for (const row of store.all()) {
      if ((await jobs.state(row.taskId)) !== undefined) this.follow(row.taskId);
      else if (row.createdAt + UNPAID_MS < now) unpaid.push(row);
    }
    for (const { taskId } of unpaid) this.#shown.delete(taskId);
    if (unpaid.length > 0) await store.remove(unpaid);
  }

  /** Stops following. Deliveries that are under way continue. */
  stop(): void {
    for (const { stop } of this.#followed.values()) stop();
    this.#followed.clear();
  }

  async add(taskId: string, order: PushOrder, current: A2aItem): Promise<PushView> {
    const { clock, notifier, random, sealer, store } = this.#ports;
    const id = order.id ?? createCapability('push', random);
    if (clock.now() >= this.#cleanedAt + UNPAID_MS) await this.start();
    if (store.get(taskId, id) === undefined) this.#checkLimits(taskId);
    const { url, authentication } = order;
    const view: PushView = {
      id,
      taskId,
      url,
      ...(authentication === undefined
        ? {}
        : { authentication: { scheme: authentication.scheme } }),
    };
    const headers = JSON.stringify(secretHeaders(order));
    const row = { ...view, sealed: sealer.seal(headers, keyOf(view)), createdAt: clock.now() };
    const message = createDelivery(row, current, 'first');
    // Nobody can direct notifications at a third party: the address must accept the first one.
    const { signal } = new AbortController();
    await notifier.send(message, { key: message.deliveryId, signal });
    await store.put(row);
    if ('statusUpdate' in current) this.#shown.set(taskId, current.statusUpdate.status.state);
    return view;
  }

  get(taskId: string, id: string): PushView | undefined {
    const row = this.#ports.store.get(taskId, id);
    return row === undefined ? undefined : toView(row);
  }

  list(taskId: string): readonly PushView[] {
    return this.#ports.store.list(taskId).map(toView);
  }

  async remove(taskId: string, id: string): Promise<void> {
    await this.#ports.store.remove([{ taskId, id }]);
    if (this.#ports.store.list(taskId).length === 0) this.#unfollow(taskId);
  }

  async removeAll(taskId: string): Promise<void> {
    const rows = this.#ports.store.list(taskId);
    if (rows.length > 0) await this.#ports.store.remove(rows);
    this.#unfollow(taskId);
  }

  follow(taskId: string): void {
    const { jobs, store } = this.#ports;
    if (this.#followed.has(taskId) || store.list(taskId).length === 0) return;
    const followed: Followed = { stop: () => undefined, lastKey: this.#firstKey(taskId) };
    this.#followed.set(taskId, followed);
    followed.stop = jobs.watch(taskId, (job) => {
      this.#show(job).catch((thrown: unknown) => {
        this.#ports.notice(`push notifications: ${toAppError(thrown).message}`);
      });
    });
  }

  #firstKey(taskId: string): string {
    const shown = this.#shown.get(taskId);
    this.#shown.delete(taskId);
    return shown === 'TASK_STATE_WORKING' ? keyOfStatus({ status: 'working', asks: [] }) : '';
  }

  async #show(job: JobState): Promise<void> {
    const { jobId: taskId } = job;
    const followed = this.#followed.get(taskId);
    if (followed === undefined || followed.lastKey === keyOfStatus(job)) return;
    followed.lastKey = keyOfStatus(job);
    const { engine, store } = this.#ports;
    const rows = store.list(taskId);
    // The questions of a job are long; the task has them.
    const text = job.message.slice(0, TEXT_CHARS_MAX);
    const item = toStatusUpdate(toTask({ ...job, message: text, asks: [] }));
    for (const row of rows) {
      const message = createDelivery(row, item, hashJson([job.updatedAt, followed.lastKey]));
      const key = message.deliveryId;
      await engine.create(NOTICE_KIND, key, { key, message, answerTo: null });
    }
    if (!isFinished(job)) return;
    await store.remove(rows);
    this.#unfollow(taskId);
  }

  #unfollow(taskId: string): void {
    this.#followed.get(taskId)?.stop();
    this.#followed.delete(taskId);
    this.#shown.delete(taskId);
  }

  #checkLimits(taskId: string): void {
    const { store } = this.#ports;
    const own = store.list(taskId).length;
    if (own >= TASK_PUSHES_MAX) {
      throw new AppError('RATE_LIMITED', {
        message: `The task has ${own} push notification configurations; delete one first.`,
        data: { received: own, allowed: TASK_PUSHES_MAX },
      });
    }
    if (store.count() < PUSHES_MAX) return;
    throw new AppError('OVERLOADED', {
      message: 'The server has reached its limit of push notification configurations.',
      data: { allowed: PUSHES_MAX },
    });
  }
}

function keyOf({ taskId, id }: Pick<PushView, 'taskId' | 'id'>): string {
  return `push_${hashJson([taskId, id]).slice(0, 40)}`;
}

function keyOfStatus({ status, asks }: Pick<JobState, 'status' | 'asks'>): string {
  return [status, ...asks.map(({ askId }) => askId)].join(' ');
}

function toView({ sealed: _sealed, createdAt: _createdAt, ...view }: PushRow): PushView {
  return view;
}

function createDelivery(row: PushRow, item: A2aItem, change: string): WebhookDelivery {
  const webhookId = keyOf(row);
  return {
    kind: 'webhook',
    webhookId,
    url: row.url,
    event: 'a2a.task',
    deliveryId: `${webhookId}:${change}`,
    body: JSON.stringify(item),
    contentType: CONTENT_TYPE,
    sealedHeaders: row.sealed,
  };
}

function secretHeaders({ token, authentication }: PushOrder): Readonly<Record<string, string>> {
  const authorization =
    authentication === undefined
      ? {}
      : { authorization: `${authentication.scheme} ${authentication.credentials ?? ''}`.trim() };
  return {
    ...authorization,
    ...(token === undefined || token === '' ? {} : { 'x-a2a-notification-token': token }),
  };
}
