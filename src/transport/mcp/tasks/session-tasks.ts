import { toAppError } from '../../../domain/common/error.ts';
import type { ServedJobs, ToolOutcome } from '../../../domain/tool/tool.ts';
import type { ResponseWriter } from '../call/response-writer.ts';
import type { EndpointCore } from '../endpoint-core.ts';
import { errorJson, notificationJson, type RpcRequest, resultJson } from '../json-rpc.ts';
import type { McpSession } from '../session/session.ts';
import { supportsTasks } from '../versions.ts';
import { TaskFollower } from './follower.ts';
import { cancelTask, checkTaskCall, listTasks, type RpcError } from './session-task-methods.ts';
import { toRpcError, toSessionTask } from './task-format.ts';
import { TaskResultRun } from './task-result-run.ts';
import { TaskService } from './task-service.ts';

/** Tasks of 2025-11-25 on sessions of the lean front. Each task is the job of the same id. */
export class SessionTasks {
  private readonly core: EndpointCore;
  private readonly taskService: TaskService;
  private readonly jobs: ServedJobs;

  constructor(core: EndpointCore, jobs: ServedJobs) {
    this.core = core;
    this.jobs = jobs;
    this.taskService = new TaskService(jobs);
  }

  /** Answers task methods. Returns `false` for other methods, and for versions without tasks. */
  answer(writer: ResponseWriter, message: RpcRequest): boolean {
    const { session } = writer;
    const { id, params } = message;
    if (!supportsTasks(session.row.protocolVersion)) return false;
    switch (message.method) {
      case 'tasks/get':
        this.respond(writer, message, this.get(session, params));
        return true;
      case 'tasks/list':
        this.respond(writer, message, listTasks(this.taskService, params, session.row.tasks ?? []));
        return true;
      case 'tasks/cancel':
        this.respond(writer, message, cancelTask(this.taskService, params));
        return true;
      case 'tasks/result':
        new TaskResultRun(this.core, this.taskService, { lane: writer, id }).start(params);
        return true;
      default:
        return false;
    }
  }

  /** Returns whether a call asks to run as a task, or the error when it may not. */
  checkTask({ session }: ResponseWriter, { params }: RpcRequest): boolean | RpcError {
    if (params['task'] === undefined || !supportsTasks(session.row.protocolVersion)) return false;
    return checkTaskCall(params, this.core.service) ?? true;
  }

  /** Records the task that a call has started, and follows it. */
  recordTask(session: McpSession, { job }: Extract<ToolOutcome, { kind: 'result' }>): void {
    if (job === undefined) return;
    this.core.sessions.recordTask(session, job.jobId);
    this.followerOf(session).follow(job);
  }

  private async get(session: McpSession, params: RpcRequest['params']) {
    const job = await this.taskService.find(params);
    // After a restart, a task is not followed until its client returns.
    if (session.row.tasks?.includes(job.jobId) === true) this.followerOf(session).follow(job);
    return toSessionTask(job);
  }

  private followerOf(session: McpSession): TaskFollower {
    session.follower ??= new TaskFollower(this.jobs, (job) => {
      const json = notificationJson('notifications/tasks/status', toSessionTask(job));
      session.standalone?.send(json);
    });
    return session.follower;
  }

  private respond(lane: ResponseWriter, { id }: RpcRequest, answer: Promise<object>): void {
    answer.then(
      (result) => lane.respond(resultJson(id, JSON.stringify(result))),
      (thrown: unknown) => {
        const { code, message, data } = toRpcError(toAppError(thrown));
        lane.respond(errorJson(id, code, message, data));
      },
    );
  }
}
