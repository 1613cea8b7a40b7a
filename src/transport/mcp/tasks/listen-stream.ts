import type { Jobs } from '../../../domain/job/job.ts';
import type { CloseListener, HttpExchange, HttpStream } from '../../http/host.ts';
import type { Beating, Pulse } from '../call/pulse.ts';
import { SSE_HEADERS } from '../sse-channel.ts';
import { type ListenWish, TaskListen } from './task-listen.ts';

/** Most task subscriptions that may be open on one endpoint. */
export const LISTENS_MAX = 1_024;

/** The open task subscriptions over HTTP. */
export class ListenStreams {
  private readonly jobs: Jobs;
  private readonly pulse: Pulse;
  private readonly keepAliveMs: number;
  private readonly open = new Set<ListenStream>();

  constructor(jobs: Jobs, o: { readonly pulse: Pulse; readonly keepAliveMs: number }) {
    this.jobs = jobs;
    this.pulse = o.pulse;
    this.keepAliveMs = o.keepAliveMs;
  }

  get isFull(): boolean {
    return this.open.size >= LISTENS_MAX;
  }

  /** Answers a subscription with a stream. */
  async serve(exchange: HttpExchange, wish: ListenWish): Promise<void> {
    const stream = exchange.stream({ status: 200, headers: SSE_HEADERS });
    if (stream === undefined) return;
    const { pulse, keepAliveMs } = this;
    const over = (): void => {
      this.open.delete(one);
      pulse.remove(one);
    };
    const one = new ListenStream(this.jobs, wish, { stream, pulse, keepAliveMs, over });
    this.open.add(one);
    pulse.add(one);
    exchange.listenClose(one);
    await one.begin();
  }

  /** Answers every open request, which ends its stream. */
  close(): void {
    for (const one of this.open) one.end();
  }
}

interface StreamSetup {
  readonly stream: HttpStream;
  readonly pulse: Pulse;
  readonly keepAliveMs: number;
  readonly over: () => void;
}

class ListenStream implements CloseListener, Beating {
  private readonly listen: TaskListen;
  private readonly setup: StreamSetup;
  private wroteAt: number;

  constructor(jobs: Jobs, wish: ListenWish, setup: StreamSetup) {
    this.setup = setup;
    this.wroteAt = setup.pulse.now();
    this.listen = new TaskListen(jobs, wish, (message) => this.write(message));
  }

  async begin(): Promise<void> {
    try {
      await this.listen.begin();
    } catch {
      // The client sees a stream without a result and retries.
      this.connectionClosed();
      this.setup.stream.end();
    }
  }

  end(): void {
    this.listen.end('answered');
  }

  connectionClosed(): void {
    this.listen.end('silently');
    this.setup.over();
  }

  beat(now: number): void {
    if (now - this.wroteAt < this.setup.keepAliveMs) return;
    this.wroteAt = now;
    this.setup.stream.write(':\n\n');
  }

  private write(message: object): void {
    const { stream, pulse, over } = this.setup;
    this.wroteAt = pulse.now();
    // A reader that is too slow has been dropped.
    const isTaken = stream.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
    if (!isTaken) this.connectionClosed();
    if (!('result' in message)) return;
    over();
    stream.end();
  }
}
