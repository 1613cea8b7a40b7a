import { errorBody, toAppError } from '../../../domain/common/error.ts';
import { SECOND_MS } from '../../../domain/common/time.ts';
import type { HostingProvider } from '../../../domain/hosting/hosting.ts';
import type { LogLine } from '../../../domain/hosting/records.ts';
import {
  type CompiledLogFilter,
  compileLogFilters,
} from '../../../domain/hosting/telemetry/log-filter.ts';
import type { CloseListener, HttpExchange, HttpStream } from '../../http/host.ts';
import type { Tickable, Ticker } from '../../mcp/call/ticker.ts';
import { SSE_HEADERS } from '../../mcp/sse-channel.ts';
import type { LogSelection } from './log-page.ts';

/** Queue size at which a slow page receives no more lines for now, in bytes. */
const WAITING_BYTES_MAX = 262_144;
/**
 * Interval of keep-alive comments on an idle stream, in milliseconds. They stop proxies from
 * closing it.
 */
const KEEP_ALIVE_MS = 15 * SECOND_MS;
/** Reconnection delay for pages, in milliseconds. */
const RETRY_MS = 2 * SECOND_MS;

/** The options of a feed. */
export interface LogFeedOptions {
  readonly provider: HostingProvider;
  readonly selection: LogSelection;
  readonly pulse: Ticker;
  /** When the page's session expires, in milliseconds. The feed ends then. */
  readonly endsAt: number | undefined;
  readonly onEnd: (feed: LogFeed) => void;
}

/** Streams the new log lines of a resource to one page, as server-sent events. */
export class LogFeed implements Tickable, CloseListener {
  readonly #order: LogFeedOptions;
  readonly #stream: HttpStream;
  readonly #sieve: CompiledLogFilter;
  readonly #stop = new AbortController();
  #drained: (() => void) | undefined;
  #wroteAt: number;

  /**
   * Opens a feed on an exchange.
   *
   * @returns `undefined` when the client has left.
   * @throws {AppError} `INPUT_INVALID` for an invalid filter.
   */
  static open(order: LogFeedOptions, exchange: HttpExchange): LogFeed | undefined {
    const sieve = compileLogFilters(order.selection);
    const stream = exchange.stream({ status: 200, headers: SSE_HEADERS });
    if (stream === undefined) return undefined;
    const feed = new LogFeed(order, stream, sieve);
    exchange.listenClose(feed);
    return feed;
  }

  private constructor(order: LogFeedOptions, stream: HttpStream, sieve: CompiledLogFilter) {
    this.#order = order;
    this.#stream = stream;
    this.#sieve = sieve;
    this.#wroteAt = order.pulse.now();
    order.pulse.add(this);
    stream.listenDrain?.(() => this.#drained?.());
    stream.write(`retry: ${RETRY_MS}\n\n`);
    void this.#run();
  }

  get isOpen(): boolean {
    return !this.#stop.signal.aborted;
  }

  tick(now: number): void {
    const { endsAt } = this.#order;
    if (endsAt !== undefined && endsAt <= now) {
      this.end();
      return;
    }
    this.#drained?.();
    if (now - this.#wroteAt >= KEEP_ALIVE_MS) this.#write(': quiet\n\n');
  }

  connectionClosed(): void {
    this.end();
  }

  /** Ends the stream. The page reconnects and reads what it missed. */
  end(): void {
    if (!this.isOpen) return;
    this.#stop.abort();
    this.#drained?.();
    this.#order.pulse.remove(this);
    this.#stream.end();
    this.#order.onEnd(this);
  }

  async #run(): Promise<void> {
    const { provider, selection } = this.#order;
    const { signal } = this.#stop;
    try {
      for await (const line of provider.logs.tail({ resource: selection.resource }, signal)) {
        if (signal.aborted) return;
        if (!matchesFilters(line, this.#sieve)) continue;
        this.#write(`data: ${JSON.stringify(line)}\n\n`);
        await this.#waitForDrain();
      }
    } catch (thrown) {
      if (signal.aborted) return;
      const body = errorBody(toAppError(thrown));
      this.#write(`event: fault\ndata: ${JSON.stringify(body)}\n\n`);
    }
    this.end();
  }

  #write(text: string): void {
    if (!this.isOpen) return;
    this.#wroteAt = this.#order.pulse.now();
    if (!this.#stream.write(text)) this.end();
  }

  /** Waits until a slow page has received its queued lines. */
  async #waitForDrain(): Promise<void> {
    while (this.isOpen && this.#stream.waitingBytes > WAITING_BYTES_MAX) {
      await new Promise<void>((resolve) => {
        this.#drained = resolve;
      });
      this.#drained = undefined;
    }
  }
}

function matchesFilters({ labels, message }: LogLine, sieve: CompiledLogFilter): boolean {
  const { level, instance = '', host = '', statusCode = '', method = '', path = '' } = labels;
  if (!sieve.types.includes(labels.type)) return false;
  if (sieve.labels?.({ level, instance, host, statusCode, method }) === false) return false;
  if (sieve.path?.(path) === false) return false;
  return sieve.text?.(message) !== false;
}
