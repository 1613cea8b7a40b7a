import { z } from 'zod';
import { AppError } from '../../domain/common/error.ts';
import { isObject } from '../../domain/common/json.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import { readEvents, readText } from './sse.ts';

/** A JSON-RPC response: a result or an error. */
export type RpcResponse =
  | { readonly result: Readonly<Record<string, unknown>> }
  | {
      readonly error: { readonly code: number; readonly message: string; readonly data?: unknown };
    };

/** One JSON-RPC request to the server. */
export interface RpcRequest {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
  /** Receives the progress of this request. If present, the request asks for progress. */
  readonly onProgress?: (params: Readonly<Record<string, unknown>>) => void;
}

/**
 * Idle timeout of an open request, in milliseconds. A stream sends bytes every few seconds; a plain
 * answer may wait for its work and for the chain.
 */
export const IDLE_TIMEOUT_MS = 180 * SECOND_MS;
/** Requested protocol version; the server may answer with an older one. */
const PROTOCOL_VERSION = '2025-11-25';
const HANDSHAKE_TIMEOUT_MS = 15 * SECOND_MS;
const NOTIFY_TIMEOUT_MS = 5 * SECOND_MS;

const Message = z.looseObject({
  id: z.union([z.string(), z.number(), z.null()]).optional(),
  method: z.string().optional(),
  result: z.record(z.string(), z.unknown()).optional(),
  error: z.looseObject({ code: z.number(), message: z.string() }).optional(),
});
type Message = z.infer<typeof Message>;

/**
 * One session of streamable HTTP. Every transport failure is `SERVER_UNREACHABLE`; its `sent` is
 * true if the server may have received the request. A failed session cannot be used again.
 */
export class HttpSession {
  readonly #url: string;
  readonly #headers: Headers;
  readonly #open = new AbortController();
  #lastId = 0;
  #initializeResult: Readonly<Record<string, unknown>> = {};

  private constructor(url: string) {
    this.#url = url;
    this.#headers = new Headers({
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    });
  }

  /** Initializes a session with the server. */
  static async start(url: string, client: { readonly name: string; readonly version: string }) {
    const session = new HttpSession(url);
    const signal = AbortSignal.timeout(HANDSHAKE_TIMEOUT_MS);
    const params = { protocolVersion: PROTOCOL_VERSION, capabilities: {}, clientInfo: client };
    const answer = await session.request({ method: 'initialize', params, signal });
    if ('error' in answer) throw invalidAnswer(answer.error.message);
    session.#initializeResult = answer.result;
    session.#headers.set('mcp-protocol-version', String(answer.result['protocolVersion']));
    await session.notify('notifications/initialized', {});
    return session;
  }

  /** The server's result of `initialize`. */
  get hello(): Readonly<Record<string, unknown>> {
    return this.#initializeResult;
  }

  /**
   * Sends a request and waits for its answer, as plain JSON or as an event stream.
   *
   * @throws {AppError} `SERVER_UNREACHABLE`, `EGRESS_FAILED`, `EGRESS_TOO_LARGE`
   */
  async request({ method, params, signal, onProgress }: RpcRequest): Promise<RpcResponse> {
    const id = ++this.#lastId;
    const token = onProgress === undefined ? {} : { progressToken: id };
    const meta = { ...(isObject(params['_meta']) ? params['_meta'] : {}), ...token };
    const sent = Object.keys(meta).length === 0 ? params : { ...params, _meta: meta };
    const quiet = new IdleTimeout(IDLE_TIMEOUT_MS);
    const cancel = (): void => {
      this.notify('notifications/cancelled', { requestId: id }).catch(() => undefined);
    };
    signal.addEventListener('abort', cancel, { once: true });
    try {
      const all = AbortSignal.any([signal, quiet.signal, this.#open.signal]);
      const response = await this.#post({ jsonrpc: '2.0', id, method, params: sent }, all);
      const onLife: OnActivity = (progress) => {
        quiet.reset();
        if (progress !== undefined) onProgress?.(progress);
      };
      return await readResponse(response, { id, onLife, ending: all });
    } catch (cause) {
      signal.throwIfAborted();
      throw cause instanceof AppError ? cause : connectionLost(cause, true);
    } finally {
      quiet.end();
      signal.removeEventListener('abort', cancel);
    }
  }

  /** Sends a notification; delivery is not confirmed. */
  async notify(method: string, params: Readonly<Record<string, unknown>>): Promise<void> {
    const all = AbortSignal.any([this.#open.signal, AbortSignal.timeout(NOTIFY_TIMEOUT_MS)]);
    const response = await this.#post({ jsonrpc: '2.0', method, params }, all);
    await response.body?.cancel();
  }

  /** Closes the session locally and, if possible, at the server. */
  async close(): Promise<void> {
    const signal = AbortSignal.timeout(NOTIFY_TIMEOUT_MS);
    await fetch(this.#url, { method: 'DELETE', headers: this.#headers, signal }).then(
      (response) => response.body?.cancel(),
      () => undefined,
    );
    this.#open.abort();
  }

  async #post(message: object, signal: AbortSignal): Promise<Response> {
    const hadSession = this.#headers.has('mcp-session-id');
    let response: Response;
    try {
      const body = JSON.stringify(message);
      const init = { method: 'POST', headers: this.#headers, body, signal, redirect: 'error' };
      response = await fetch(this.#url, init as RequestInit);
    } catch (cause) {
      throw connectionLost(cause, !isRefusedConnection(cause));
    }
    const sessionId = response.headers.get('mcp-session-id');
    if (sessionId !== null) this.#headers.set('mcp-session-id', sessionId);
    await throwOnErrorStatus(response, hadSession);
    return response;
  }
}

/** Statuses of requests that the server did not process; they may be sent again. */
const UNPROCESSED_STATUSES = [429, 502, 503, 504];
const SESSION_NOT_FOUND = 404;

/** Throws on an error status, except for a payment challenge: its body is a normal answer. */
async function throwOnErrorStatus(response: Response, hadSession: boolean): Promise<void> {
  if (response.ok || response.headers.has('payment-required')) return;
  const { status } = response;
  await response.body?.cancel();
  if (status === SESSION_NOT_FOUND && hadSession) throw connectionLost(undefined, false);
  if (!UNPROCESSED_STATUSES.includes(status)) throw invalidAnswer(`HTTP ${status}`);
  const wait = Number(response.headers.get('retry-after') ?? '');
  const retryAfter = Number.isFinite(wait) && wait > 0 ? { retryAfterMs: wait * SECOND_MS } : {};
  throw connectionLost(undefined, false, { isBusy: true, ...retryAfter });
}

type OnActivity = (progress: Readonly<Record<string, unknown>> | undefined) => void;

interface PendingResponse {
  readonly id: number;
  readonly onLife: OnActivity;
  readonly ending: AbortSignal;
}

async function readResponse(
  response: Response,
  { id, onLife, ending }: PendingResponse,
): Promise<RpcResponse> {
  const type = response.headers.get('content-type') ?? '';
  if (!type.startsWith('text/event-stream')) {
    const answer = selectResponse(await readText(response.body, ending), id);
    if (answer === undefined) throw invalidAnswer('an answer without a result');
    return answer;
  }
  const body = response.body?.pipeThrough(reportChunks(() => onLife(undefined))) ?? null;
  for await (const event of readEvents(body, ending)) {
    const answer = selectResponse(event, id, onLife);
    if (answer !== undefined) return answer;
  }
  throw connectionLost(undefined, true);
}

/** Reports every chunk, including comments between events, as activity. */
function reportChunks(onBytes: () => void): TransformStream<Uint8Array, Uint8Array> {
  return new TransformStream({
    transform: (chunk, out) => {
      onBytes();
      out.enqueue(chunk);
    },
  });
}

function selectResponse(json: string, id: number, onLife?: OnActivity): RpcResponse | undefined {
  const message = parseMessage(json);
  if (message === undefined) throw invalidAnswer('a message that is not JSON-RPC');
  const params = message['params'];
  if (message.method === 'notifications/progress' && isObject(params)) onLife?.(params);
  if (message.id !== id || message.method !== undefined) return undefined;
  if (message.error !== undefined) return { error: message.error };
  return message.result === undefined ? undefined : { result: message.result };
}

function parseMessage(json: string): Message | undefined {
  try {
    return Message.safeParse(JSON.parse(json)).data;
  } catch {
    return undefined;
  }
}

/** Aborts a request that has been idle for too long. */
class IdleTimeout {
  readonly #stop = new AbortController();
  readonly #maxMs: number;
  #timer: NodeJS.Timeout;

  constructor(maxMs: number) {
    this.#maxMs = maxMs;
    this.#timer = this.#arm();
  }

  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  reset(): void {
    clearTimeout(this.#timer);
    this.#timer = this.#arm();
  }

  end(): void {
    clearTimeout(this.#timer);
  }

  #arm(): NodeJS.Timeout {
    return setTimeout(() => this.#stop.abort(), this.#maxMs);
  }
}

function isRefusedConnection(cause: unknown): boolean {
  const inner = cause instanceof Error ? cause.cause : undefined;
  const code = isObject(inner) || inner instanceof Error ? Reflect.get(inner, 'code') : undefined;
  return code === 'ECONNREFUSED' || code === 'ENOTFOUND' || code === 'EHOSTUNREACH';
}

function connectionLost(
  cause: unknown,
  sent: boolean,
  more: Readonly<Record<string, unknown>> = {},
) {
  return new AppError('SERVER_UNREACHABLE', { data: { sent, ...more }, cause });
}

function invalidAnswer(received: string): AppError {
  return new AppError('EGRESS_FAILED', {
    message: `The server returned an invalid answer: ${received}.`,
    data: { received },
  });
}
