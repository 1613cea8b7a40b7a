import { AppError, toAppError } from '../../domain/common/error.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import { HttpSession, type RpcRequest, type RpcResponse } from './http-session.ts';

/** A request that is retried across sessions. */
export interface UpstreamRequest extends RpcRequest {
  /** True if the server may receive it twice. Paid calls may: a payment runs only once. */
  readonly isRepeatable: boolean;
  /** How long to wait for an unreachable server, in milliseconds. */
  readonly patienceMs: number;
}

/** Connection to the upstream server that survives restarts of the server. */
export interface Upstream {
  /**
   * Sends a request. If the server becomes unreachable, starts a new session and repeats it.
   *
   * @throws {AppError} `SERVER_UNREACHABLE` after `patienceMs`; `EGRESS_FAILED`
   */
  request(ask: UpstreamRequest): Promise<RpcResponse>;
  /** Returns the server's result of `initialize`; `undefined` before the first session. */
  initializeResult(): Readonly<Record<string, unknown>> | undefined;
  close(): Promise<void>;
}

const RETRY_PAUSE_MS = { first: 100, most: 2 * SECOND_MS } as const;

/** Opens a connection to a server; the first request starts the session. */
export function openUpstream(
  url: string,
  client: { readonly name: string; readonly version: string },
): Upstream {
  let session: Promise<HttpSession> | undefined;
  let hello: Readonly<Record<string, unknown>> | undefined;

  /** Returns the session; runs one handshake at a time and drops a failed one. */
  function current(): Promise<HttpSession> {
    if (session !== undefined) return session;
    const fresh = HttpSession.start(url, client).then((begun) => {
      hello = begun.hello;
      return begun;
    });
    session = fresh;
    fresh.catch(() => dropSession(fresh));
    return fresh;
  }

  function dropSession(gone: Promise<HttpSession>): void {
    if (session === gone) session = undefined;
  }

  async function attempt(ask: UpstreamRequest): Promise<RpcResponse | AppError> {
    const used = current();
    try {
      const begun = await used.catch((thrown: unknown) => {
        throw markUnsent(toAppError(thrown));
      });
      return await begun.request(ask);
    } catch (thrown) {
      ask.signal.throwIfAborted();
      const error = toAppError(thrown);
      if (error.code !== 'SERVER_UNREACHABLE') throw error;
      if (error.data['isBusy'] !== true) dropSession(used);
      if (error.data['sent'] === true && !ask.isRepeatable) throw error;
      return error;
    }
  }

  return {
    initializeResult: () => hello,
    request: async (ask) => {
      const end = Date.now() + ask.patienceMs;
      for (
        let pause: number = RETRY_PAUSE_MS.first;
        ;
        pause = Math.min(2 * pause, RETRY_PAUSE_MS.most)
      ) {
        const answer = await attempt(ask);
        if (!(answer instanceof AppError)) return answer;
        const wait = Math.max(pause, Number(answer.data['retryAfterMs'] ?? 0));
        if (Date.now() + wait > end) throw unreachableError(url, answer);
        await sleep(wait, ask.signal);
      }
    },
    close: async () => {
      const open = await session?.catch(() => undefined);
      session = undefined;
      await open?.close();
    },
  };
}

/** Marks the request as not sent: the handshake before it failed. */
function markUnsent(error: AppError): AppError {
  if (error.code !== 'SERVER_UNREACHABLE') return error;
  return new AppError(error.code, { data: { ...error.data, sent: false }, cause: error });
}

function unreachableError(url: string, cause: AppError): AppError {
  return new AppError('SERVER_UNREACHABLE', {
    message: `The server at ${url} does not respond. Start it with \`npm start\`, then call again.`,
    data: { sent: cause.data['sent'] === true },
    cause,
  });
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((done, fail) => {
    const stop = (): void => {
      clearTimeout(timer);
      fail(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      done();
    }, ms);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}
