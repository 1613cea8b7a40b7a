import type { Jobs } from '../../../domain/job/job.ts';
import type { CloseListener, HttpExchange, HttpStream } from '../../http/host.ts';
import type { Tickable, Ticker } from '../call/ticker.ts';
import { SSE_HEADERS } from '../sse-channel.ts';
import { type SubscriptionRequest, TaskSubscription } from './task-subscription.ts';

/** Most task subscriptions that may be open on one endpoint. */
export const SUBSCRIPTIONS_MAX = 1_024;

/** The open task subscriptions over HTTP. */
export class TaskSubscriptions {
  private readonly jobs: Jobs;
  private readonly pulse: Ticker;
  private readonly keepAliveMs: number;
  private readonly open = new Set<SubscriptionStream>();

  constructor(jobs: Jobs, o: { readonly pulse: Ticker; readonly keepAliveMs: number }) {
    this.jobs = jobs;
    this.pulse = o.pulse;
    this.keepAliveMs = o.keepAliveMs;
  }

  get isFull(): boolean {
    return this.open.size >= SUBSCRIPTIONS_MAX;
  }

  /** Answers a subscription with a stream. */
  async serve(exchange: HttpExchange, wish: SubscriptionRequest): Promise<void> {
    const stream = exchange.stream({ status: 200, headers: SSE_HEADERS });
    if (stream === undefined) return;
    const { pulse, keepAliveMs } = this;
    const over = (): void => {
      this.open.delete(one);
      pulse.remove(one);
    };
    const one = new SubscriptionStream(this.jobs, wish, {
      stream,
      pulse,
      keepAliveMs,
      onOver: over,
    });
    this.open.add(one);
    pulse.add(one);
    exchange.listenClose(one);
    await one.start();
  }

  /** Answers every open request, which ends its stream. */
  close(): void {
    for (const one of this.open) one.end();
  }
}

interface StreamSetup {
  readonly stream: HttpStream;
  readonly pulse: Ticker;
  readonly keepAliveMs: number;
  readonly onOver: () => void;
}

class SubscriptionStream implements CloseListener, Tickable {
  private readonly subscription: TaskSubscription;
  private readonly setup: StreamSetup;
  private wroteAt: number;

  constructor(jobs: Jobs, wish: SubscriptionRequest, setup: StreamSetup) {
    this.setup = setup;
    this.wroteAt = setup.pulse.now();
    this.subscription = new TaskSubscription(jobs, wish, (message) => this.write(message));
  }

  async start(): Promise<void> {
    try {
      await this.subscription.start();
    } catch {
      // The client sees a stream without a result and retries.
      this.connectionClosed();
      this.setup.stream.end();
    }
  }

  end(): void {
    this.subscription.end('answered');
  }

  connectionClosed(): void {
    this.subscription.end('silently');
    this.setup.onOver();
  }

  tick(now: number): void {
    if (now - this.wroteAt < this.setup.keepAliveMs) return;
    this.wroteAt = now;
    this.setup.stream.write(':\n\n');
  }

  private write(message: object): void {
    const { stream, pulse, onOver } = this.setup;
    this.wroteAt = pulse.now();
    // A reader that is too slow has been dropped.
    const isTaken = stream.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
    if (!isTaken) this.connectionClosed();
    if (!('result' in message)) return;
    onOver();
    stream.end();
  }
}
