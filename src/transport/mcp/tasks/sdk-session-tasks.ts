import { setMaxListeners } from 'node:events';
import {
  type CallToolResult,
  ProtocolError,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { ServedJobs, ToolOutcome, ToolService } from '../../../domain/tool/tool.ts';
import { withSettlement } from '../call/outcome.ts';
import { hasTasks } from '../versions.ts';
import { ASKS_OPEN_MAX } from './client-asks.ts';
import { type Asker, TaskDesk } from './desk.ts';
import { FOLLOWED_MAX, TaskFollower } from './follower.ts';
import { cancelTask, createdOf, listTasks, taskRefusal } from './legacy.ts';
import { answerOf, canBeAsked, questionOf } from './questions.ts';
import { ANYTHING, type RawParams, serveMethod } from './sdk-handlers.ts';
import type { ServedTasks } from './served-tasks.ts';
import { RELATED_TASK_META, relatedResult, sessionTask, TASKS_CAPABILITY } from './words.ts';

/** Time limit for a client's answer to one question, in milliseconds: a day. */
const ANSWER_WAIT_MS = 86_400_000;

/** Tasks of 2025-11-25 on an SDK server. One server is one session and remembers its own tasks. */
export class SdkSessionTasks implements ServedTasks {
  readonly capabilities = { tasks: TASKS_CAPABILITY };
  private readonly service: ToolService;
  private readonly desk: TaskDesk;
  private readonly begun = new Set<string>();
  private readonly follower: TaskFollower;
  private server: Server | undefined;

  constructor(service: ToolService, jobs: ServedJobs) {
    this.service = service;
    this.desk = new TaskDesk(jobs);
    this.follower = new TaskFollower(jobs, (job) => {
      const params = { ...sessionTask(job) };
      // A client that has left requests the task state when it reconnects.
      this.server?.notification({ method: 'notifications/tasks/status', params }).catch(() => {
        this.follower.end();
      });
    });
  }

  install(server: Server): void {
    this.server = server;
    const closed = server.onclose;
    server.onclose = () => {
      this.follower.end();
      closed?.();
    };
    const serve = (method: string, answer: Parameters<typeof serveMethod>[2]): void =>
      serveMethod(server, method, async (params, context) => {
        this.mustBeSpoken(method);
        return answer(params, context);
      });
    serve('tasks/get', async (params) => sessionTask(await this.desk.find(params)));
    serve('tasks/list', (params) => listTasks(this.desk, params, [...this.begun]));
    serve('tasks/cancel', (params) => cancelTask(this.desk, params));
    serve('tasks/result', async (params, context) => {
      const job = await this.desk.find(params);
      const asker = this.asker(job.jobId, context);
      return relatedResult(await this.desk.result(job, context.mcpReq.signal, asker));
    });
  }

  takes(params: RawParams): boolean {
    if (params['task'] === undefined || !this.isSpoken()) return false;
    const refusal = taskRefusal(params, this.service);
    if (refusal === undefined) return true;
    throw new ProtocolError(refusal.code, refusal.message);
  }

  word(outcome: Extract<ToolOutcome, { kind: 'result' }>): CallToolResult {
    const made = createdOf(outcome);
    if (!('result' in made)) throw new ProtocolError(made.code, made.message, made.data);
    const { job, settlement } = outcome;
    if (job !== undefined && this.begun.size < FOLLOWED_MAX) this.begun.add(job.jobId);
    if (job !== undefined) this.follower.follow(job);
    return withSettlement(made.result, settlement) as CallToolResult;
  }

  private isSpoken(): boolean {
    return hasTasks(this.server?.getNegotiatedProtocolVersion() ?? '');
  }

  private mustBeSpoken(method: string): void {
    if (this.isSpoken()) return;
    throw new ProtocolError(-32_601, `Method not found: ${method}`);
  }

  private asker(taskId: string, { mcpReq }: ServerContext): Asker | undefined {
    const capabilities = this.server?.getClientCapabilities();
    if (!canBeAsked(capabilities)) return undefined;
    setMaxListeners(ASKS_OPEN_MAX + 1, mcpReq.signal);
    return async (ask, fault) => {
      const question = questionOf(ask, capabilities, fault);
      if (question === undefined) return undefined;
      const { method, params } = question;
      const related = { ...params, _meta: { [RELATED_TASK_META]: { taskId } } };
      const o = { timeout: ANSWER_WAIT_MS, signal: mcpReq.signal };
      return answerOf(ask, await mcpReq.send({ method, params: related }, ANYTHING, o));
    };
  }
}
