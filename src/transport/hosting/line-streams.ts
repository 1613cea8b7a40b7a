import type { Clock } from '../../domain/common/clock.ts';
import { AppError } from '../../domain/common/error.ts';
import { TAIL_BEAT_MS } from '../../domain/hosting/api-shapes.ts';
import type { HttpExchange, HttpStream } from '../http/host.ts';
import type { ApiRoute } from './api-route.ts';
import type { ApiCallers } from './hosting-api.ts';

/** Open streams: of one token, and of all together. */
export const API_STREAMS = { perCaller: 16, total: 128 } as const;

/** Bytes that may wait for a slow reader before it gets no more for now. */
const WAITING_BYTES_MAX = 65_536;
const RETRY_S = 5;

/** What one stream is made of. */
interface Growing {
  readonly exchange: HttpExchange;
  readonly route: ApiRoute;
  readonly items: AsyncIterable<unknown>;
  /** Ends the items. */
  readonly leaving: AbortController;
}

/** Who reads a stream, and what ends it. */
interface Reader {
  readonly caller: string;
  readonly leave: () => void;
}

/**
 * Answers that grow: server-sent events, each with one line of JSON. A reader that is slow is
 * waited for; one whose token was taken back is let go at the next beat.
 */
export class LineStreams {
  readonly #clock: Clock;
  readonly #callers: Pick<ApiCallers, 'principalOf' | 'ending'>;
  readonly #open = new Map<HttpExchange, Reader>();

  constructor(clock: Clock, callers: Pick<ApiCallers, 'principalOf' | 'ending'>) {
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
   * @throws {AppError} `RATE_LIMITED` where too many are open; nothing was sent then.
   */
  async serve({ exchange, route, items, leaving }: Growing): Promise<void> {
    const leave = (): void => leaving.abort();
    this.#admit(exchange, leave);
    const headers = ['content-type', route.type ?? '', 'cache-control', 'no-store'];
    const stream = exchange.stream({ status: route.status, headers });
    if (stream === undefined || this.#callers.ending.aborted) leave();
    const quiet = this.#beat({ exchange, stream, leave });
    try {
      if (stream !== undefined) await pour({ stream, route, items, signal: leaving.signal });
    } catch {
      // The head has gone out: all that is left to say is that there is no more.
    } finally {
      quiet();
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
    const message = `Too many tails are open: ${own} of this token, ${this.#open.size} in all.`;
    const data = { received: own + 1, allowed: API_STREAMS, retry_after_s: RETRY_S };
    throw new AppError('RATE_LIMITED', { message, data });
  }

  /** Says something now and then, so that nobody on the way ends it, and looks at the token. */
  #beat(parts: {
    readonly exchange: HttpExchange;
    readonly stream: HttpStream | undefined;
    readonly leave: () => void;
  }): () => void {
    const { exchange, stream, leave } = parts;
    const caller = this.#callers.principalOf(exchange.request).id;
    let cancel: () => void = () => undefined;
    const later = (): void => {
      cancel = this.#clock.at(this.#clock.now() + TAIL_BEAT_MS, () => {
        const isSame = this.#callers.principalOf(exchange.request).id === caller;
        if (!isSame || stream?.write(': quiet\n\n') !== true) leave();
        else later();
      });
    };
    later();
    return () => cancel();
  }
}

interface Pouring {
  readonly stream: HttpStream;
  readonly route: ApiRoute;
  readonly items: AsyncIterable<unknown>;
  readonly signal: AbortSignal;
}

async function pour({ stream, route, items, signal }: Pouring): Promise<void> {
  for await (const item of items) {
    if (!stream.write(`data: ${JSON.stringify(route.answer.parse(item))}\n\n`)) return;
    if (stream.waitingBytes > WAITING_BYTES_MAX) await drained(stream, signal);
    if (signal.aborted) return;
  }
}

/** Resolves when a blocked socket has taken all, or nobody waits for it any more. */
async function drained(stream: HttpStream, signal: AbortSignal): Promise<void> {
  if (signal.aborted || stream.listenDrain === undefined) return;
  const isOver = new AbortController();
  await new Promise<void>((resolve) => {
    stream.listenDrain?.(resolve);
    signal.addEventListener('abort', () => resolve(), { signal: isOver.signal });
  });
  isOver.abort();
}
