import { protocolFault } from '../../domain/agent-protocol/fault.ts';
import type { PushNotifications, PushView } from '../../domain/agent-protocol/push.ts';
import { toTask } from '../../domain/agent-protocol/task.ts';
import {
  type A2aTask,
  isFinalState,
  type ParamsOf,
  toStatusUpdate,
} from '../../domain/agent-protocol/wire.ts';
import { isFinished, type JobState } from '../../domain/job/job.ts';
import { TaskService } from '../mcp/tasks/task-service.ts';
import type { AgentCore } from './agent-core.ts';
import { unknownTask } from './call-skill.ts';
import { type MessageSender, pushUnsupported } from './message-sender.ts';
import type { OpenTask, OpenTasks } from './open-tasks.ts';
import { readPaidTask, readPayment } from './task-reader.ts';

/** A task with what stands behind it: a job, or an open task. */
interface FoundTask {
  readonly task: A2aTask;
  readonly job?: JobState;
  readonly open?: OpenTask;
}

/** The methods that read, cancel and follow tasks. The id of a task is the capability for it. */
export class TaskMethods {
  readonly #core: AgentCore;
  readonly #open: OpenTasks;
  readonly #sender: MessageSender;

  constructor(core: AgentCore, open: OpenTasks, sender: MessageSender) {
    this.#core = core;
    this.#open = open;
    this.#sender = sender;
  }

  async get({ id }: ParamsOf<'GetTask'>): Promise<A2aTask> {
    return (await this.#find(id)).task;
  }

  /** Lists the only task of a context. Without one, none is visible: nobody is authenticated. */
  async list(params: ParamsOf<'ListTasks'>) {
    const { contextId, status, pageSize, statusTimestampAfter: after, includeArtifacts } = params;
    const found = contextId === undefined ? undefined : await this.#tryFind(contextId);
    const tasks = found === undefined ? [] : [found.task];
    const shown = tasks.filter(
      ({ status: { state, timestamp } }) =>
        (status === undefined || state === status) &&
        (after === undefined || Date.parse(timestamp) >= Date.parse(after)),
    );
    return {
      tasks: shown.map(({ artifacts, ...task }) =>
        includeArtifacts ? { ...task, artifacts: artifacts ?? [] } : task,
      ),
      nextPageToken: '',
      pageSize,
      totalSize: shown.length,
    };
  }

  /** Cancels a job as `get_result` does, or an unpaid task. */
  async cancel({ id }: ParamsOf<'CancelTask'>): Promise<A2aTask> {
    const { task, job, open } = await this.#find(id);
    const { jobs } = this.#core.service;
    if (open !== undefined && open.paidBy === undefined && !isFinalState(task.status.state)) {
      await this.#core.push?.removeAll(id);
      return this.#sender.cancel(open);
    }
    if (job === undefined || jobs === undefined || isFinished(job)) {
      throw protocolFault('TASK_NOT_CANCELABLE', {
        message: isFinalState(task.status.state)
          ? 'The task has ended.'
          : 'The payment of the task is being processed. Cancel it when it runs.',
        received: task.status.state,
        allowed: ['TASK_STATE_WORKING', 'TASK_STATE_INPUT_REQUIRED'],
      });
    }
    const ended = await new TaskService(jobs).cancel(job);
    return toTask(ended, await readPayment(jobs, id));
  }

  /** Returns a task that can be followed. */
  async subscribe({ id }: ParamsOf<'SubscribeToTask'>): Promise<FoundTask> {
    const found = await this.#find(id);
    const { state } = found.task.status;
    if (!isFinalState(state)) return found;
    throw protocolFault('UNSUPPORTED_OPERATION', {
      message: 'The task has ended. Read it with GetTask.',
      received: state,
    });
  }

  async createPush(params: ParamsOf<'CreateTaskPushNotificationConfig'>): Promise<PushView> {
    const push = this.#push();
    const { taskId } = params;
    const { task, job } = await this.#find(taskId);
    if (isFinalState(task.status.state)) {
      throw protocolFault('UNSUPPORTED_OPERATION', {
        message: 'The task has ended, so there is nothing to notify of. Read it with GetTask.',
        received: task.status.state,
      });
    }
    const view = await push.add(taskId, params, toStatusUpdate(task));
    if (job !== undefined) push.follow(taskId);
    return view;
  }

  async getPush({ taskId, id }: ParamsOf<'GetTaskPushNotificationConfig'>): Promise<PushView> {
    const push = this.#push();
    await this.#find(taskId);
    const view = push.get(taskId, id);
    if (view !== undefined) return view;
    throw protocolFault('TASK_NOT_FOUND', {
      message: 'The task has no push notification configuration of this id.',
      received: id,
      allowed: push.list(taskId).map((each) => each.id),
    });
  }

  async listPushes({ taskId }: ParamsOf<'ListTaskPushNotificationConfigs'>) {
    const push = this.#push();
    await this.#find(taskId);
    return { configs: push.list(taskId), nextPageToken: '' };
  }

  async deletePush({ taskId, id }: ParamsOf<'DeleteTaskPushNotificationConfig'>) {
    const push = this.#push();
    await this.#find(taskId);
    await push.remove(taskId, id);
    return {};
  }

  /** Refuses, because the public card is the whole one. */
  extendedCard(): never {
    throw protocolFault('EXTENDED_AGENT_CARD_NOT_CONFIGURED', {
      message: 'There is no extended card: /.well-known/agent-card.json is the whole one.',
    });
  }

  #push(): PushNotifications {
    if (this.#core.push === undefined) throw pushUnsupported();
    return this.#core.push;
  }

  async #find(taskId: string): Promise<FoundTask> {
    const found = await this.#tryFind(taskId);
    if (found === undefined) throw unknownTask(taskId);
    return found;
  }

  async #tryFind(taskId: string): Promise<FoundTask | undefined> {
    const paid = await readPaidTask(this.#core.service.jobs, taskId);
    if (paid !== undefined) return paid;
    const open = this.#open.find(taskId, this.#core.clock.now());
    return open === undefined ? undefined : { task: open.shown, open };
  }
}
