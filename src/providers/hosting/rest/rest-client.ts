import { setTimeout as pause } from 'node:timers/promises';
import type { z } from 'zod';
import { readTextWithin } from '../../../domain/common/bounded-bytes.ts';
import { AppError } from '../../../domain/common/error.ts';
import { HOSTING_API_PATH } from '../../../domain/hosting/api-shapes.ts';
import { isTransient, type RequestFailureKind, toHostError, unavailableError } from './errors.ts';
import type { RestHostingSettings } from './settings.ts';

/** Maximum size of a response, in bytes. */
export const ANSWER_BYTES_MAX = 33_554_432;
/** Maximum size of an error response, in bytes. */
const REFUSAL_BYTES_MAX = 1_048_576;

/** Timeouts of a client of a second host, in milliseconds. */
export interface RestTimeouts {
  /** For a whole response. */
  readonly answerMs: number;
  /** For the response to an SQL statement; longer than the host's own timeout. */
  readonly statementMs: number;
  /** Maximum silence of a tail; the host sends a heartbeat every 15 s. */
  readonly quietMs: number;
  /** Delays before the second and the third attempt of a read. */
  readonly pausesMs: readonly number[];
}

/** Default timeouts. */
export const REST_TIMEOUTS: RestTimeouts = {
  answerMs: 30_000,
  statementMs: 40_000,
  quietMs: 60_000,
  pausesMs: [100, 500],
};

/** One request. */
export interface RestRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  /** Path after the prefix; its parts are already encoded. */
  readonly path: string;
  readonly query?: URLSearchParams;
  /** Plain JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether it may be retried because it changes nothing. */
  readonly isSafe: boolean;
  /** Default `answerMs`. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** A request in flight: its abort controller, and why it was ended. */
interface PendingRequest {
  readonly asked: string;
  readonly stop: AbortController;
  ended: Extract<RequestFailureKind, 'timeout' | 'aborted' | 'closed'> | undefined;
}

/**
 * A client of a second host's API. It does not follow redirects, because the token is for one host
 * only.
 */
export class RestClient {
  readonly times: RestTimeouts;
  readonly #settings: RestHostingSettings;
  readonly #pending = new Set<PendingRequest>();
  #isClosed = false;

  constructor(settings: RestHostingSettings, times: RestTimeouts) {
    this.#settings = settings;
    this.times = times;
  }

  /** The origin and base path of the second host. */
  get url(): string {
    return this.#settings.url;
  }

  /**
   * Sends a request and parses the response with its schema. A read without a response is retried.
   *
   * @throws {AppError} The second host's error; `UNAUTHORIZED` if it rejects the token;
   * `HOST_UNAVAILABLE` with `data.kind` for any unusable response.
   */
  async call<Value>(request: RestRequest, schema: z.ZodType): Promise<Value> {
    const pauses = request.isSafe ? this.times.pausesMs : [];
    for (let tries = 0; ; tries += 1) {
      try {
        return await this.#callOnce(request, schema);
      } catch (thrown) {
        const pauseMs = pauses[tries];
        const isOver = pauseMs === undefined || this.#isClosed || request.signal?.aborted === true;
        if (isOver || !(thrown instanceof AppError) || !isTransient(thrown)) throw thrown;
        await pause(pauseMs);
      }
    }
  }

  /**
   * Opens a streaming response and yields its chunks until the signal aborts.
   *
   * @throws {AppError} The errors of `call`; `HOST_UNAVAILABLE` also if the response ends by
   * itself.
   */
  async *chunks(ask: RestRequest, signal: AbortSignal): AsyncIterable<Uint8Array> {
    const pending = this.#startRequest(ask, signal);
    const { quietMs, answerMs } = this.times;
    const timeout = createTimeout(pending);
    try {
      timeout.within(answerMs);
      const response = await this.#send(ask, pending);
      if (!response.ok) throw await this.#readError(response, pending);
      timeout.within(quietMs);
      for await (const chunk of response.body ?? []) {
        yield chunk;
        timeout.within(quietMs);
      }
      throw unavailableError({ kind: 'cut', asked: pending.asked, why: 'the response ended' });
    } catch (thrown) {
      if (!signal.aborted) throw toRestError(thrown, pending);
    } finally {
      timeout.never();
      this.#endRequest(pending);
    }
  }

  /** Ends all requests in flight. */
  close(): void {
    this.#isClosed = true;
    for (const trip of this.#pending) abortRequest(trip, 'closed');
  }

  async #callOnce<Value>(ask: RestRequest, schema: z.ZodType): Promise<Value> {
    const trip = this.#startRequest(ask, ask.signal);
    const late = createTimeout(trip);
    try {
      late.within(ask.timeoutMs ?? this.times.answerMs);
      const response = await this.#send(ask, trip);
      if (!response.ok) throw await this.#readError(response, trip);
      const text = await readText(response, ANSWER_BYTES_MAX, trip);
      return parseResponse<Value>(text, schema, trip);
    } catch (thrown) {
      throw toRestError(thrown, trip);
    } finally {
      late.never();
      this.#endRequest(trip);
    }
  }

  #startRequest({ method, path }: RestRequest, signal: AbortSignal | undefined): PendingRequest {
    const trip: PendingRequest = {
      asked: `${method} ${path}`,
      stop: new AbortController(),
      ended: undefined,
    };
    this.#pending.add(trip);
    if (this.#isClosed) abortRequest(trip, 'closed');
    if (signal?.aborted === true) abortRequest(trip, 'aborted');
    const { signal: endSignal } = trip.stop;
    signal?.addEventListener('abort', () => abortRequest(trip, 'aborted'), {
      once: true,
      signal: endSignal,
    });
    return trip;
  }

  #endRequest(trip: PendingRequest): void {
    this.#pending.delete(trip);
    // Releases the listener, and a response that is not read to its end.
    trip.stop.abort();
  }

  #send(
    { method, path, query, body, headers }: RestRequest,
    trip: PendingRequest,
  ): Promise<Response> {
    const { url, token } = this.#settings;
    const search = query === undefined || query.size === 0 ? '' : `?${query.toString()}`;
    const type = body === undefined ? {} : { 'content-type': 'application/json' };
    return fetch(`${url}${HOSTING_API_PATH}${path}${search}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...type, ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      redirect: 'manual',
      signal: trip.stop.signal,
    });
  }

  async #readError(response: Response, trip: PendingRequest): Promise<AppError> {
    const text = await readText(response, REFUSAL_BYTES_MAX, trip);
    const retryAfter = response.headers.get('retry-after');
    return toHostError({ asked: trip.asked, status: response.status, retryAfter, text });
  }
}

/** Creates a timeout for a request that can be restarted. */
function createTimeout(trip: PendingRequest) {
  let timer: NodeJS.Timeout | undefined;
  const never = (): void => clearTimeout(timer);
  const within = (ms: number): void => {
    never();
    timer = setTimeout(() => abortRequest(trip, 'timeout'), ms);
  };
  return { within, never };
}

function abortRequest(trip: PendingRequest, why: NonNullable<PendingRequest['ended']>): void {
  trip.ended ??= why;
  trip.stop.abort();
}

async function readText(
  response: Response,
  bytesMax: number,
  { asked, stop }: PendingRequest,
): Promise<string> {
  try {
    return await readTextWithin(response.body, { bytesMax, signal: stop.signal });
  } catch (cause) {
    if (!(cause instanceof AppError)) throw cause;
    const why = `it is longer than ${bytesMax} bytes, or has too many chunks`;
    throw unavailableError({ kind: 'answer', asked, why, cause });
  }
}

function parseResponse<Value>(text: string, schema: z.ZodType, { asked }: PendingRequest): Value {
  let value: unknown;
  try {
    value = text === '' ? undefined : JSON.parse(text);
  } catch (cause) {
    throw unavailableError({ kind: 'answer', asked, why: 'it is not valid JSON', cause });
  }
  const result = schema.safeParse(value);
  // JSON has no undefined, so the parsed members match the record types.
  if (result.success) return result.data as Value;
  const [issue] = result.error.issues;
  const path = issue?.path.join('.') ?? '';
  const why = `"${path}" is invalid: ${issue?.message ?? ''}`;
  throw unavailableError({ kind: 'answer', asked, why });
}

const END_REASONS: Readonly<Record<NonNullable<PendingRequest['ended']>, string>> = {
  timeout: 'it timed out',
  aborted: 'the caller disconnected',
  closed: 'this server is stopping',
};

function toRestError(thrown: unknown, { asked, ended }: PendingRequest): AppError {
  if (ended !== undefined) return unavailableError({ kind: ended, asked, why: END_REASONS[ended] });
  if (thrown instanceof AppError) return thrown;
  const code = getErrorCode(thrown);
  // Without a connection nothing was sent; with one the response was cut off.
  const isCut = code === 'UND_ERR_SOCKET' || String(thrown).includes('terminated');
  const kind = isCut ? 'cut' : 'connect';
  return unavailableError({ kind, asked, why: `it cannot be reached (${code})`, cause: thrown });
}

function getErrorCode(thrown: unknown): string {
  const cause = thrown instanceof Error ? thrown.cause : undefined;
  const found = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  return typeof found === 'string' ? found : 'no connection';
}
