import { setMaxListeners } from 'node:events';
import { toAppError } from '../../../domain/common/error.ts';
import type { JobState } from '../../../domain/job/job.ts';
import type { OpenCall } from '../call/open-call.ts';
import type { ResponseWriter } from '../call/response-writer.ts';
import type { Tickable } from '../call/ticker.ts';
import type { EndpointCore } from '../endpoint-core.ts';
import { errorJson, RPC, type RpcId, resultJson } from '../json-rpc.ts';
import { CLIENT_REQUESTS_MAX, ClientRequests } from './client-requests.ts';
import { buildQuestion, parseAnswer, supportsQuestions } from './questions.ts';
import { RELATED_TASK_META, toRelatedResult, toRpcError } from './task-format.ts';
import type { Asker, TaskService } from './task-service.ts';

/**
 * One `tasks/result` request, until its job ends. Questions of the job go to the client on the same
 * stream, if the client supports them.
 */
export class TaskResultRun implements OpenCall, Tickable {
  readonly id: RpcId;
  readonly writer: ResponseWriter;
  readonly isJob = true;
  private readonly core: EndpointCore;
  private readonly taskService: TaskService;
  private readonly abortController = new AbortController();
  private readonly startedAt: number;
  private isOver = false;

  constructor(core: EndpointCore, desk: TaskService, at: { lane: ResponseWriter; id: RpcId }) {
    this.core = core;
    this.taskService = desk;
    this.writer = at.lane;
    this.id = at.id;
    this.startedAt = core.pulse.now();
  }

  /** Waits for the job and replies. Never rejects. */
  start(params: Readonly<Record<string, unknown>>): void {
    this.core.load.calls += 1;
    this.writer.session.add(this);
    this.core.pulse.add(this);
    this.wait(params).then(
      (job) => this.close()?.respond(resultJson(this.id, JSON.stringify(toRelatedResult(job)))),
      (thrown: unknown) => {
        const { code, message, data } = toRpcError(toAppError(thrown));
        this.close()?.respond(errorJson(this.id, code, message, data));
      },
    );
  }

  tick(now: number): void {
    if (now - this.startedAt < this.core.limits.upgradeAfterMs) return;
    this.writer.switchToStream();
    // From here on, the stream sends its own keep-alives.
    this.core.pulse.remove(this);
  }

  cancel(): void {
    this.close()?.skip();
    this.abortController.abort();
  }

  // Also called when the front closes. The client is then still connected.
  handleCallerGone(): void {
    this.close()?.respond(errorJson(this.id, RPC.REFUSED, 'The wait has ended; retry.'));
    this.abortController.abort();
  }

  private async wait(params: Readonly<Record<string, unknown>>): Promise<JobState> {
    const job = await this.taskService.find(params);
    return this.taskService.result(job, this.abortController.signal, this.asker(job.jobId));
  }

  private asker(taskId: string): Asker | undefined {
    const { session } = this.writer;
    const { clientCapabilities } = session.row;
    if (!supportsQuestions(clientCapabilities)) return undefined;
    setMaxListeners(CLIENT_REQUESTS_MAX + 1, this.abortController.signal);
    const asks =
      session.clientRequests ?? new ClientRequests(`stoa:ask:${this.core.sessions.streamId()}`);
    session.clientRequests = asks;
    return async (ask, fault) => {
      const question = buildQuestion(ask, clientCapabilities, fault);
      if (question === undefined) return undefined;
      const { method, params } = question;
      const related = { ...params, _meta: { [RELATED_TASK_META]: { taskId } } };
      const { signal } = this.abortController;
      return parseAnswer(ask, await asks.send(this.writer, { method, params: related }, signal));
    };
  }

  // Returns the lane to the first caller only.
  private close(): ResponseWriter | undefined {
    if (this.isOver) return undefined;
    this.isOver = true;
    this.core.load.calls -= 1;
    this.core.pulse.remove(this);
    this.writer.session.remove(this);
    return this.writer;
  }
}
