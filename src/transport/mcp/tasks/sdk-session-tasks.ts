import { setMaxListeners } from 'node:events';
import {
  type CallToolResult,
  ProtocolError,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { ServedJobs, ToolOutcome, ToolService } from '../../../domain/tool/tool.ts';
import { withSettlement } from '../call/outcome.ts';
import { supportsTasks } from '../versions.ts';
import { CLIENT_REQUESTS_MAX } from './client-requests.ts';
import { FOLLOWED_MAX, TaskFollower } from './follower.ts';
import { buildQuestion, parseAnswer, supportsQuestions } from './questions.ts';
import { ANY_PARAMS, type RawParams, serveMethod } from './sdk-handlers.ts';
import type { ServedTasks } from './served-tasks.ts';
import { cancelTask, checkTaskCall, listTasks, toCreatedTask } from './session-task-methods.ts';
import {
  RELATED_TASK_META,
  TASKS_CAPABILITY,
  toRelatedResult,
  toSessionTask,
} from './task-format.ts';
import { type Asker, TaskService } from './task-service.ts';

/** Time limit for a client's answer to one question, in milliseconds: a day. */
const ANSWER_WAIT_MS = 86_400_000;

/** Tasks of 2025-11-25 on an SDK server. One server is one session and remembers its own tasks. */
export class SdkSessionTasks implements ServedTasks {
  readonly capabilities = { tasks: TASKS_CAPABILITY };
  private readonly service: ToolService;
  private readonly taskService: TaskService;
  private readonly startedTasks = new Set<string>();
  private readonly follower: TaskFollower;
  private server: Server | undefined;

  constructor(service: ToolService, jobs: ServedJobs) {
    this.service = service;
    this.taskService = new TaskService(jobs);
    this.follower = new TaskFollower(jobs, (job) => {
      const params = { ...toSessionTask(job) };
      // A client that has left requests the task state when it reconnects.
      this.server?.notification({ method: 'notifications/tasks/status', params }).catch(() => {
        this.follower.stop();
      });
    });
  }

  install(server: Server): void {
    this.server = server;
    const closed = server.onclose;
    server.onclose = () => {
      this.follower.stop();
      closed?.();
    };
    const serve = (method: string, answer: Parameters<typeof serveMethod>[2]): void =>
      serveMethod(server, method, async (params, context) => {
        this.requireSupported(method);
        return answer(params, context);
      });
    serve('tasks/get', async (params) => toSessionTask(await this.taskService.find(params)));
    serve('tasks/list', (params) => listTasks(this.taskService, params, [...this.startedTasks]));
    serve('tasks/cancel', (params) => cancelTask(this.taskService, params));
    serve('tasks/result', async (params, context) => {
      const job = await this.taskService.find(params);
      const asker = this.asker(job.jobId, context);
      return toRelatedResult(await this.taskService.result(job, context.mcpReq.signal, asker));
    });
  }

  runsAsTask(params: RawParams): boolean {
    if (params['task'] === undefined || !this.isSupported()) return false;
    const refusal = checkTaskCall(params, this.service);
    if (refusal === undefined) return true;
    throw new ProtocolError(refusal.code, refusal.message);
  }

  toResult(outcome: Extract<ToolOutcome, { kind: 'result' }>): CallToolResult {
    const made = toCreatedTask(outcome);
    if (!('result' in made)) throw new ProtocolError(made.code, made.message, made.data);
    const { job, settlement } = outcome;
    if (job !== undefined && this.startedTasks.size < FOLLOWED_MAX)
      this.startedTasks.add(job.jobId);
    if (job !== undefined) this.follower.follow(job);
    return withSettlement(made.result, settlement) as CallToolResult;
  }

  private isSupported(): boolean {
    return supportsTasks(this.server?.getNegotiatedProtocolVersion() ?? '');
  }

  private requireSupported(method: string): void {
    if (this.isSupported()) return;
    throw new ProtocolError(-32_601, `Method not found: ${method}`);
  }

  private asker(taskId: string, { mcpReq }: ServerContext): Asker | undefined {
    const capabilities = this.server?.getClientCapabilities();
    if (!supportsQuestions(capabilities)) return undefined;
    setMaxListeners(CLIENT_REQUESTS_MAX + 1, mcpReq.signal);
    return async (ask, fault) => {
      const question = buildQuestion(ask, capabilities, fault);
      if (question === undefined) return undefined;
      const { method, params } = question;
      const related = { ...params, _meta: { [RELATED_TASK_META]: { taskId } } };
      const o = { timeout: ANSWER_WAIT_MS, signal: mcpReq.signal };
      return parseAnswer(ask, await mcpReq.send({ method, params: related }, ANY_PARAMS, o));
    };
  }
}
