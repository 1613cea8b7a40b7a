import { toAppError } from '../../../domain/common/error.ts';
import type { ServedJobs, ToolOutcome } from '../../../domain/tool/tool.ts';
import type { PostLane } from '../call/post-lane.ts';
import type { EndpointCore } from '../endpoint-core.ts';
import { errorJson, notificationJson, type RpcRequest, resultJson } from '../json-rpc.ts';
import type { McpSession } from '../session/session.ts';
import { hasTasks } from '../versions.ts';
import { TaskDesk } from './desk.ts';
import { TaskFollower } from './follower.ts';
import { cancelTask, listTasks, type RpcRefusal, taskRefusal } from './legacy.ts';
import { TaskResultRun } from './task-result-run.ts';
import { rpcFault, sessionTask } from './words.ts';

/** Tasks of 2025-11-25 on sessions of the lean front. Each task is the job of the same id. */
export class SessionTasks {
  private readonly core: EndpointCore;
  private readonly desk: TaskDesk;
  private readonly jobs: ServedJobs;

  constructor(core: EndpointCore, jobs: ServedJobs) {
    this.core = core;
    this.jobs = jobs;
    this.desk = new TaskDesk(jobs);
  }

  /** Answers task methods. Returns `false` for other methods, and for versions without tasks. */
  answer(lane: PostLane, message: RpcRequest): boolean {
    const { session } = lane;
    const { id, params } = message;
    if (!hasTasks(session.row.protocolVersion)) return false;
    switch (message.method) {
      case 'tasks/get':
        this.say(lane, message, this.get(session, params));
        return true;
      case 'tasks/list':
        this.say(lane, message, listTasks(this.desk, params, session.row.tasks ?? []));
        return true;
      case 'tasks/cancel':
        this.say(lane, message, cancelTask(this.desk, params));
        return true;
      case 'tasks/result':
        new TaskResultRun(this.core, this.desk, { lane, id }).start(params);
        return true;
      default:
        return false;
    }
  }

  /** Returns whether a call asks to run as a task, or the error when it may not. */
  wish({ session }: PostLane, { params }: RpcRequest): boolean | RpcRefusal {
    if (params['task'] === undefined || !hasTasks(session.row.protocolVersion)) return false;
    return taskRefusal(params, this.core.service) ?? true;
  }

  /** Records the task that a call has started, and follows it. */
  note(session: McpSession, { job }: Extract<ToolOutcome, { kind: 'result' }>): void {
    if (job === undefined) return;
    this.core.sessions.noteTask(session, job.jobId);
    this.followerOf(session).follow(job);
  }

  private async get(session: McpSession, params: RpcRequest['params']) {
    const job = await this.desk.find(params);
    // After a restart, a task is not followed until its client returns.
    if (session.row.tasks?.includes(job.jobId) === true) this.followerOf(session).follow(job);
    return sessionTask(job);
  }

  private followerOf(session: McpSession): TaskFollower {
    session.follower ??= new TaskFollower(this.jobs, (job) => {
      const json = notificationJson('notifications/tasks/status', sessionTask(job));
      session.listening?.send(json);
    });
    return session.follower;
  }

  private say(lane: PostLane, { id }: RpcRequest, answer: Promise<object>): void {
    answer.then(
      (result) => lane.respond(resultJson(id, JSON.stringify(result))),
      (thrown: unknown) => {
        const { code, message, data } = rpcFault(toAppError(thrown));
        lane.respond(errorJson(id, code, message, data));
      },
    );
  }
}
