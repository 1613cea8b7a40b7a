import { z } from 'zod';
import { AppError } from '../../domain/common/error.ts';
import { isObject } from '../../domain/common/json.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import { readEvents, readText } from './sse.ts';

/** A JSON-RPC response: a result or an error. */
export type RpcAnswer =
  | { readonly result: Readonly<Record<string, unknown>> }
  | {
      readonly error: { readonly code: number; readonly message: string; readonly data?: unknown };
    };

/** One JSON-RPC request to the server. */
export interface RpcAsk {
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
export const SILENCE_MS_MAX = 180 * SECOND_MS;
/** Requested protocol version; the server may answer with an older one. */
const VERSION_ASKED = '2025-11-25';
const HANDSHAKE_TIMEOUT_MS = 15 * SECOND_MS;
const NOTE_TIMEOUT_MS = 5 * SECOND_MS;

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
  #hello: Readonly<Record<string, unknown>> = {};

  private constructor(url: string) {
    this.#url = url;
    this.#headers = new Headers({
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    });
  }

  /** Initializes a session with the server. */
  static async begin(url: string, client: { readonly name: string; readonly version: string }) {
    const session = new HttpSession(url);
    const signal = AbortSignal.timeout(HANDSHAKE_TIMEOUT_MS);
    const params = { protocolVersion: VERSION_ASKED, capabilities: {}, clientInfo: client };
    const answer = await session.ask({ method: 'initialize', params, signal });
    if ('error' in answer) throw unusable(answer.error.message);
    session.#hello = answer.result;
    session.#headers.set('mcp-protocol-version', String(answer.result['protocolVersion']));
    await session.note('notifications/initialized', {});
    return session;
  }

  /** The server's result of `initialize`. */
  get hello(): Readonly<Record<string, unknown>> {
    return this.#hello;
  }

  /**
   * Sends a request and waits for its answer, as plain JSON or as an event stream.
   *
   * @throws {AppError} `SERVER_UNREACHABLE`, `EGRESS_FAILED`, `EGRESS_TOO_LARGE`
   */
  async ask({ method, params, signal, onProgress }: RpcAsk): Promise<RpcAnswer> {
    const id = ++this.#lastId;
    const token = onProgress === undefined ? {} : { progressToken: id };
    const meta = { ...(isObject(params['_meta']) ? params['_meta'] : {}), ...token };
    const sent = Object.keys(meta).length === 0 ? params : { ...params, _meta: meta };
    const quiet = new Quiet(SILENCE_MS_MAX);
    const cancel = (): void => {
      this.note('notifications/cancelled', { requestId: id }).catch(() => undefined);
    };
    signal.addEventListener('abort', cancel, { once: true });
    try {
      const all = AbortSignal.any([signal, quiet.signal, this.#open.signal]);
      const response = await this.#post({ jsonrpc: '2.0', id, method, params: sent }, all);
      const onLife: OnLife = (progress) => {
        quiet.broken();
        if (progress !== undefined) onProgress?.(progress);
      };
      return await readAnswer(response, { id, onLife, ending: all });
    } catch (cause) {
      signal.throwIfAborted();
      throw cause instanceof AppError ? cause : lost(cause, true);
    } finally {
      quiet.end();
      signal.removeEventListener('abort', cancel);
    }
  }

  /** Sends a notification; delivery is not confirmed. */
  async note(method: string, params: Readonly<Record<string, unknown>>): Promise<void> {
    const all = AbortSignal.any([this.#open.signal, AbortSignal.timeout(NOTE_TIMEOUT_MS)]);
    const response = await this.#post({ jsonrpc: '2.0', method, params }, all);
    await response.body?.cancel();
  }

  /** Closes the session locally and, if possible, at the server. */
  async end(): Promise<void> {
    const signal = AbortSignal.timeout(NOTE_TIMEOUT_MS);
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
      throw lost(cause, !isRefusedConnection(cause));
    }
    const sessionId = response.headers.get('mcp-session-id');
    if (sessionId !== null) this.#headers.set('mcp-session-id', sessionId);
    await refuseStatus(response, hadSession);
    return response;
  }
}

/** Statuses of requests that the server did not process; they may be sent again. */
const UNHEARD = [429, 502, 503, 504];
const NO_SESSION = 404;

/** Throws on an error status, except for a payment challenge: its body is a normal answer. */
async function refuseStatus(response: Response, hadSession: boolean): Promise<void> {
  if (response.ok || response.headers.has('payment-required')) return;
  const { status } = response;
  await response.body?.cancel();
  if (status === NO_SESSION && hadSession) throw lost(undefined, false);
  if (!UNHEARD.includes(status)) throw unusable(`HTTP ${status}`);
  const wait = Number(response.headers.get('retry-after') ?? '');
  const retryAfter = Number.isFinite(wait) && wait > 0 ? { retryAfterMs: wait * SECOND_MS } : {};
  throw lost(undefined, false, { isBusy: true, ...retryAfter });
}

type OnLife = (progress: Readonly<Record<string, unknown>> | undefined) => void;

interface Awaited {
  readonly id: number;
  readonly onLife: OnLife;
  readonly ending: AbortSignal;
}

async function readAnswer(response: Response, { id, onLife, ending }: Awaited): Promise<RpcAnswer> {
  const type = response.headers.get('content-type') ?? '';
  if (!type.startsWith('text/event-stream')) {
    const answer = pick(await readText(response.body, ending), id);
    if (answer === undefined) throw unusable('an answer without a result');
    return answer;
  }
  const body = response.body?.pipeThrough(watched(() => onLife(undefined))) ?? null;
  for await (const event of readEvents(body, ending)) {
    const answer = pick(event, id, onLife);
    if (answer !== undefined) return answer;
  }
  throw lost(undefined, true);
}

/** Reports every chunk, including comments between events, as activity. */
function watched(onBytes: () => void): TransformStream<Uint8Array, Uint8Array> {
  return new TransformStream({
    transform: (chunk, out) => {
      onBytes();
      out.enqueue(chunk);
    },
  });
}

function pick(json: string, id: number, onLife?: OnLife): RpcAnswer | undefined {
  const message = parse(json);
  if (message === undefined) throw unusable('a message that is not JSON-RPC');
  const params = message['params'];
  if (message.method === 'notifications/progress' && isObject(params)) onLife?.(params);
  if (message.id !== id || message.method !== undefined) return undefined;
  if (message.error !== undefined) return { error: message.error };
  return message.result === undefined ? undefined : { result: message.result };
}

function parse(json: string): Message | undefined {
  try {
    return Message.safeParse(JSON.parse(json)).data;
  } catch {
    return undefined;
  }
}

/** Aborts a request that has been idle for too long. */
class Quiet {
  readonly #end = new AbortController();
  readonly #maxMs: number;
  #timer: NodeJS.Timeout;

  constructor(maxMs: number) {
    this.#maxMs = maxMs;
    this.#timer = this.#arm();
  }

  get signal(): AbortSignal {
    return this.#end.signal;
  }

  broken(): void {
    clearTimeout(this.#timer);
    this.#timer = this.#arm();
  }

  end(): void {
    clearTimeout(this.#timer);
  }

  #arm(): NodeJS.Timeout {
    return setTimeout(() => this.#end.abort(), this.#maxMs);
  }
}

function isRefusedConnection(cause: unknown): boolean {
  const inner = cause instanceof Error ? cause.cause : undefined;
  const code = isObject(inner) || inner instanceof Error ? Reflect.get(inner, 'code') : undefined;
  return code === 'ECONNREFUSED' || code === 'ENOTFOUND' || code === 'EHOSTUNREACH';
}

function lost(cause: unknown, sent: boolean, more: Readonly<Record<string, unknown>> = {}) {
  return new AppError('SERVER_UNREACHABLE', { data: { sent, ...more }, cause });
}

function unusable(received: string): AppError {
  return new AppError('EGRESS_FAILED', {
    message: `The server returned an invalid answer: ${received}.`,
    data: { received },
  });
}
