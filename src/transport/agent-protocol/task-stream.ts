import { toTask } from '../../domain/agent-protocol/task.ts';
import { type A2aItem, type A2aTask, toStatusUpdate } from '../../domain/agent-protocol/wire.ts';
import type { JobState } from '../../domain/job/job.ts';
import type { ServedJobs } from '../../domain/tool/tool.ts';
import { KeptStream, type StreamOwner } from '../event/kept-stream.ts';
import type { HttpExchange, HttpStream } from '../http/host.ts';
import type { Ticker } from '../mcp/call/ticker.ts';
import { type RpcId, resultJson } from '../mcp/json-rpc.ts';
import { SSE_HEADERS } from '../mcp/sse-channel.ts';
import { isSettled, readPayment } from './task-reader.ts';

/** What a stream reports about. */
export interface StreamSubject {
  readonly id: RpcId;
  /** Sent first. */
  readonly first: A2aItem;
  /** The job to follow. The stream ends after the first item without one. */
  readonly job?: JobState | undefined;
}

/** Dependencies that all streams share. */
export interface StreamCore {
  readonly jobs: ServedJobs | undefined;
  readonly pulse: Ticker;
  readonly headers: readonly string[];
}

/**
 * One reader of a task as server-sent events: the task, each change of its status, its result. The
 * stream ends with the task, or when the task asks its buyer.
 */
export class TaskStream implements StreamOwner {
  readonly #core: StreamCore;
  readonly #subject: StreamSubject;
  readonly #stream: KeptStream;
  readonly #onEnd: (stream: TaskStream) => void;
  #unwatch = (): void => undefined;
  #lastKey = '';

  private constructor(
    core: StreamCore,
    subject: StreamSubject,
    stream: HttpStream,
    onEnd: (stream: TaskStream) => void,
  ) {
    this.#core = core;
    this.#subject = subject;
    this.#stream = new KeptStream(stream, core.pulse, this);
    this.#onEnd = onEnd;
  }

  /**
   * Opens a stream on an exchange.
   *
   * @returns `undefined` when the client has left or everything is sent.
   */
  static open(
    core: StreamCore,
    subject: StreamSubject,
    exchange: HttpExchange,
    onEnd: (stream: TaskStream) => void,
  ): TaskStream | undefined {
    const headers = [...SSE_HEADERS, ...core.headers];
    const stream = exchange.stream({ status: 200, headers });
    if (stream === undefined) return undefined;
    const opened = new TaskStream(core, subject, stream, onEnd);
    opened.#stream.endWith(exchange);
    opened.#start();
    return opened.#stream.isOpen ? opened : undefined;
  }

  streamEnded(): void {
    this.#unwatch();
    this.#onEnd(this);
  }

  /** Ends the stream but not the task. The client can subscribe again. */
  end(): void {
    this.#stream.end();
  }

  #start(): void {
    const { job, first } = this.#subject;
    const { jobs } = this.#core;
    this.#write(first);
    const isOver = jobs === undefined || job === undefined || isSettled(job);
    if (isOver || !this.#stream.isOpen) {
      this.end();
      return;
    }
    this.#lastKey = keyOf(job);
    this.#unwatch = jobs.watch(job.jobId, (state) => this.#show(jobs, state));
  }

  #show(jobs: ServedJobs, job: JobState): void {
    if (!this.#stream.isOpen || keyOf(job) === this.#lastKey) return;
    this.#lastKey = keyOf(job);
    if (!isSettled(job)) {
      this.#write(toStatusUpdate(toTask(job)));
      return;
    }
    this.#unwatch();
    readPayment(jobs, job.jobId).then(
      (payment) => this.#conclude(toTask(job, payment)),
      () => this.#conclude(toTask(job)),
    );
  }

  #conclude(task: A2aTask): void {
    const { id: taskId, contextId, artifacts = [] } = task;
    for (const artifact of artifacts) {
      this.#write({ artifactUpdate: { taskId, contextId, artifact } });
    }
    this.#write(toStatusUpdate(task));
    this.end();
  }

  #write(item: A2aItem): void {
    this.#stream.write(`data: ${resultJson(this.#subject.id, JSON.stringify(item))}\n\n`);
  }
}

/** Changes whenever readers must learn of a job's state. */
function keyOf({ status, message, asks }: JobState): string {
  return JSON.stringify([status, message, asks.map(({ askId }) => askId)]);
}
