import type { Clock } from '../../domain/common/clock.ts';
import { AppError } from '../../domain/common/error.ts';
import { TAIL_KEEP_ALIVE_MS } from '../../domain/hosting/api-shapes.ts';
import type { Principal } from '../../domain/tool/tool.ts';
import type { HttpExchange, HttpRequest, HttpStream } from '../http/host.ts';
import type { ApiRoute } from './api-route.ts';

/** Limits on open streams: per token, and in total. */
export const API_STREAMS = { perCaller: 16, total: 128 } as const;

/** Queue size at which a slow reader receives no more for now, in bytes. */
const WAITING_BYTES_MAX = 65_536;
const RETRY_S = 5;

/** Caller identity and shutdown, from the front. */
export interface StreamCallers {
  principalOf(request: HttpRequest): Principal;
  readonly ending: AbortSignal;
}

/** The parts of one stream. */
interface StreamRequest {
  readonly exchange: HttpExchange;
  readonly route: ApiRoute;
  readonly items: AsyncIterable<unknown>;
  /** Stops the items. */
  readonly leaving: AbortController;
}

/** The caller of a stream, and how to stop it. */
interface Reader {
  readonly caller: string;
  readonly leave: () => void;
}

/**
 * Streams replies as server-sent events, each with one line of JSON. Waits for slow readers. A
 * reader whose token was revoked is disconnected at the next keep-alive.
 */
export class LineStreams {
  readonly #clock: Clock;
  readonly #callers: StreamCallers;
  readonly #open = new Map<HttpExchange, Reader>();

  constructor(clock: Clock, callers: StreamCallers) {
    this.#clock = clock;
    this.#callers = callers;
    const endAll = (): void => {
      for (const { leave } of this.#open.values()) leave();
    };
    callers.ending.addEventListener('abort', endAll, { once: true });
  }

  /**
   * Serves one stream to its end.
   *
   * @throws {AppError} `RATE_LIMITED` when too many are open; nothing has been sent then.
   */
  async serve({ exchange, route, items, leaving }: StreamRequest): Promise<void> {
    const leave = (): void => leaving.abort();
    this.#admit(exchange, leave);
    const headers = ['content-type', route.type ?? '', 'cache-control', 'no-store'];
    const stream = exchange.stream({ status: route.status, headers });
    if (stream === undefined || this.#callers.ending.aborted) leave();
    const stopKeepAlive = this.#keepAlive({ exchange, stream, leave });
    try {
      if (stream !== undefined) await pipeItems({ stream, route, items, signal: leaving.signal });
    } catch {
      // The head has been sent, so the only way to report a failure is to end the stream.
    } finally {
      stopKeepAlive();
      leave();
      this.#open.delete(exchange);
      stream?.end();
    }
  }

  #admit(exchange: HttpExchange, leave: () => void): void {
    const caller = this.#callers.principalOf(exchange.request).id;
    const own = [...this.#open.values()].filter((one) => one.caller === caller).length;
    if (own < API_STREAMS.perCaller && this.#open.size < API_STREAMS.total) {
      this.#open.set(exchange, { caller, leave });
      return;
    }
    const message = `Too many open tails: ${own} with this token, ${this.#open.size} in total.`;
    const data = { received: own + 1, allowed: API_STREAMS, retry_after_s: RETRY_S };
    throw new AppError('RATE_LIMITED', { message, data });
  }

  /** Sends keep-alive comments so that no proxy closes the stream, and rechecks the token. */
  #keepAlive(parts: {
    readonly exchange: HttpExchange;
    readonly stream: HttpStream | undefined;
    readonly leave: () => void;
  }): () => void {
    const { exchange, stream, leave } = parts;
    const caller = this.#callers.principalOf(exchange.request).id;
    let cancel: () => void = () => undefined;
    const later = (): void => {
      cancel = this.#clock.at(this.#clock.now() + TAIL_KEEP_ALIVE_MS, () => {
        const isSame = this.#callers.principalOf(exchange.request).id === caller;
        if (!isSame || stream?.write(': quiet\n\n') !== true) leave();
        else later();
      });
    };
    later();
    return () => cancel();
  }
}

interface PipeOptions {
  readonly stream: HttpStream;
  readonly route: ApiRoute;
  readonly items: AsyncIterable<unknown>;
  readonly signal: AbortSignal;
}

async function pipeItems({ stream, route, items, signal }: PipeOptions): Promise<void> {
  for await (const item of items) {
    if (!stream.write(`data: ${JSON.stringify(route.answer.parse(item))}\n\n`)) return;
    if (stream.waitingBytes > WAITING_BYTES_MAX) await waitForDrain(stream, signal);
    if (signal.aborted) return;
  }
}

/** Resolves when a blocked socket has sent everything, or when the signal aborts. */
async function waitForDrain(stream: HttpStream, signal: AbortSignal): Promise<void> {
  if (signal.aborted || stream.listenDrain === undefined) return;
  const isOver = new AbortController();
  await new Promise<void>((resolve) => {
    stream.listenDrain?.(resolve);
    signal.addEventListener('abort', () => resolve(), { signal: isOver.signal });
  });
  isOver.abort();
}
