import { setMaxListeners } from 'node:events';
import { toAppError } from '../../../domain/common/error.ts';
import type { JobState } from '../../../domain/job/job.ts';
import type { PostLane } from '../call/post-lane.ts';
import type { Beating } from '../call/pulse.ts';
import type { EndpointCore } from '../endpoint-core.ts';
import { errorJson, RPC, type RpcId, resultJson } from '../json-rpc.ts';
import type { OpenCall } from '../session/session.ts';
import { ASKS_OPEN_MAX, ClientAsks } from './client-asks.ts';
import type { Asker, TaskDesk } from './desk.ts';
import { answerOf, canBeAsked, questionOf } from './questions.ts';
import { RELATED_TASK_META, relatedResult, rpcFault } from './words.ts';

/**
 * One `tasks/result` request, until its job ends. Questions of the job go to the client on the same
 * stream, if the client supports them.
 */
export class TaskResultRun implements OpenCall, Beating {
  readonly id: RpcId;
  readonly lane: PostLane;
  readonly isJob = true;
  private readonly core: EndpointCore;
  private readonly desk: TaskDesk;
  private readonly gone = new AbortController();
  private readonly startedAt: number;
  private isOver = false;

  constructor(core: EndpointCore, desk: TaskDesk, at: { lane: PostLane; id: RpcId }) {
    this.core = core;
    this.desk = desk;
    this.lane = at.lane;
    this.id = at.id;
    this.startedAt = core.pulse.now();
  }

  /** Waits for the job and replies. Never rejects. */
  start(params: Readonly<Record<string, unknown>>): void {
    this.core.load.calls += 1;
    this.lane.session.add(this);
    this.core.pulse.add(this);
    this.wait(params).then(
      (job) => this.close()?.respond(resultJson(this.id, JSON.stringify(relatedResult(job)))),
      (thrown: unknown) => {
        const { code, message, data } = rpcFault(toAppError(thrown));
        this.close()?.respond(errorJson(this.id, code, message, data));
      },
    );
  }

  beat(now: number): void {
    if (now - this.startedAt < this.core.limits.upgradeAfterMs) return;
    this.lane.upgrade();
    // From here on, the stream sends its own keep-alives.
    this.core.pulse.remove(this);
  }

  cancel(): void {
    this.close()?.forgo();
    this.gone.abort();
  }

  // Also called when the front closes. The client is then still connected.
  callerGone(): void {
    this.close()?.respond(errorJson(this.id, RPC.REFUSED, 'The wait has ended; retry.'));
    this.gone.abort();
  }

  private async wait(params: Readonly<Record<string, unknown>>): Promise<JobState> {
    const job = await this.desk.find(params);
    return this.desk.result(job, this.gone.signal, this.asker(job.jobId));
  }

  private asker(taskId: string): Asker | undefined {
    const { session } = this.lane;
    const { clientCapabilities } = session.row;
    if (!canBeAsked(clientCapabilities)) return undefined;
    setMaxListeners(ASKS_OPEN_MAX + 1, this.gone.signal);
    const asks = session.asks ?? new ClientAsks(`stoa:ask:${this.core.sessions.streamId()}`);
    session.asks = asks;
    return async (ask, fault) => {
      const question = questionOf(ask, clientCapabilities, fault);
      if (question === undefined) return undefined;
      const { method, params } = question;
      const related = { ...params, _meta: { [RELATED_TASK_META]: { taskId } } };
      const { signal } = this.gone;
      return answerOf(ask, await asks.ask(this.lane, { method, params: related }, signal));
    };
  }

  // Returns the lane to the first caller only.
  private close(): PostLane | undefined {
    if (this.isOver) return undefined;
    this.isOver = true;
    this.core.load.calls -= 1;
    this.core.pulse.remove(this);
    this.lane.session.remove(this);
    return this.lane;
  }
}
