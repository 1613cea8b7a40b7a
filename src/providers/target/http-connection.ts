import type {
  CallOptions,
  ConnectOptions,
  Greeting,
  RawResponse,
  RpcOutcome,
  TargetConnection,
} from '../../domain/audit/audit-target.ts';
import { AppError } from '../../domain/common/error.ts';
import { LineReader } from '../../domain/common/line-reader.ts';
import { type ReadOn, sendHttp } from './http-wire.ts';
import {
  createErrorAnswer,
  findAnswer,
  INITIALIZE_PARAMS,
  isTargetRequest,
  NO_GREETING,
  parseGreeting,
  parseJson,
  toOutcome,
  UNSOLICITED_MAX,
} from './messages.ts';
import type { PinnedAddress } from './pin-address.ts';
import type { SpendingBudget } from './spending-budget.ts';

/** Most messages of one stream. */
const MESSAGES_MAX = 2_000;

/** Most requests from a target that are answered per connection. */
const REFUSALS_MAX = 20;
/** Timeout for ending a session, in milliseconds. */
const SESSION_END_TIMEOUT_MS = 1_000;
/** How often a request is repeated after status 429. */
const REPEATS_MAX = 3;
/** Default and longest pause between repeats, in milliseconds. */
const WAIT_MS = 500;
const WAIT_MS_MAX = 2_000;

/** The dependencies of an HTTP connection. */
export interface HttpConnectionDeps {
  readonly pinned: PinnedAddress;
  readonly spending: SpendingBudget;
  /** Headers of every request. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * A session of the streamable HTTP transport, which starts with `initialize` and parses leniently.
 */
export class HttpConnection implements TargetConnection {
  readonly #parts: HttpConnectionDeps;
  readonly #unsolicited: unknown[] = [];
  #headers: Readonly<Record<string, string>>;
  #lastRequestId = 0;
  #refusals = 0;
  #isClosed = false;
  /** The location header of the last answer, if any. */
  location: string | undefined;
  sessionId: string | null = null;
  greeting: Greeting = NO_GREETING;

  constructor(parts: HttpConnectionDeps) {
    this.#parts = parts;
    this.#headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...parts.headers,
    };
  }

  /**
   * Sends `initialize`, or adopts the session in the options.
   *
   * @throws {AppError} `AUDIT_TARGET_DOWN`
   */
  async initialize(options: ConnectOptions): Promise<void> {
    if (options.sessionId !== undefined) {
      this.#adoptSession(options.sessionId);
      return;
    }
    const { deadlineMs } = options;
    const outcome = await this.request('initialize', INITIALIZE_PARAMS, deadlineOption(deadlineMs));
    const greeting = outcome.kind === 'result' ? parseGreeting(outcome.result) : undefined;
    if (greeting === undefined) throw connectionError(this.#parts.pinned.url, outcome);
    this.greeting = greeting;
    this.#headers = { ...this.#headers, 'mcp-protocol-version': greeting.protocolVersion };
    if (this.sessionId !== null) this.#adoptSession(this.sessionId);
    await this.notify('notifications/initialized');
  }

  async request(method: string, params?: unknown, options: CallOptions = {}): Promise<RpcOutcome> {
    this.#lastRequestId += 1;
    const id = this.#lastRequestId;
    const { progressToken } = options;
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id,
      method,
      ...(params === undefined ? {} : { params: withProgressToken(params, progressToken) }),
    });
    let streamed: unknown;
    const isAnswered = (messages: readonly unknown[]) => {
      streamed ??= findAnswer(id, messages);
      return streamed !== undefined;
    };
    const answer = await this.#sendWithRetries(() => this.#post(body, options, isAnswered));
    if (method === 'initialize' && answer.kind === 'answer') {
      this.sessionId = answer.headers['mcp-session-id'] ?? null;
      this.location = answer.status >= 300 ? answer.headers['location'] : undefined;
    }
    return this.#toOutcome(id, answer, streamed);
  }

  async notify(method: string, params?: unknown): Promise<void> {
    const body = JSON.stringify({
      jsonrpc: '2.0',
      method,
      ...(params === undefined ? {} : { params }),
    });
    await this.#post(body, {}, () => false);
  }

  unsolicitedMessages(): readonly unknown[] {
    return [...this.#unsolicited];
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    if (this.sessionId === null) return;
    const { pinned, spending } = this.#parts;
    const wire = { method: 'DELETE', path: pathAndQuery(pinned.url), headers: this.#headers };
    // Ending a session is a courtesy: a target without the method, or an empty budget, is no error.
    await sendHttp(pinned, { ...wire, deadlineMs: SESSION_END_TIMEOUT_MS }, spending).catch(
      () => undefined,
    );
  }

  /** Repeats a request after a pause when the target answers with status 429. */
  async #sendWithRetries(send: () => Promise<RawResponse>): Promise<RawResponse> {
    for (let repeat = 0; ; repeat += 1) {
      const answer = await send();
      if (answer.kind !== 'answer' || answer.status !== 429 || repeat >= REPEATS_MAX) {
        return answer;
      }
      const seconds = Number(answer.headers['retry-after']);
      const askedMs = Number.isFinite(seconds) ? seconds * 1_000 : WAIT_MS;
      await sleep(Math.min(Math.max(askedMs, 100), WAIT_MS_MAX), this.#parts.spending.signal);
    }
  }

  #adoptSession(sessionId: string): void {
    this.sessionId = sessionId;
    this.#headers = { ...this.#headers, 'mcp-session-id': sessionId };
  }

  async #post(
    body: string,
    options: CallOptions,
    isAnswered: (messages: readonly unknown[]) => boolean,
  ): Promise<RawResponse> {
    const { pinned, spending } = this.#parts;
    const reader = new EventStreamReader();
    const onPiece = (piece: string, headers: Readonly<Record<string, string>>): ReadOn => {
      if (!isStream(headers)) return 'more';
      const messages = reader.push(piece);
      this.#handleMessages(messages);
      if (isAnswered(messages)) return 'enough';
      return reader.isOver ? { broken: 'too many messages in one answer' } : 'more';
    };
    const { deadlineMs, signal } = options;
    return await sendHttp(
      pinned,
      {
        method: 'POST',
        path: pathAndQuery(pinned.url),
        headers: { ...this.#headers, 'content-length': String(Buffer.byteLength(body)) },
        body,
        onPiece,
        ...deadlineOption(deadlineMs),
        ...(signal === undefined ? {} : { signal }),
      },
      spending,
    );
  }

  #handleMessages(messages: readonly unknown[]): void {
    for (const message of messages) {
      if (isTargetRequest(message) && this.#refusals < REFUSALS_MAX) {
        this.#refusals += 1;
        this.#post(createErrorAnswer(message), {}, () => false).catch(() => undefined);
      }
      if (this.#unsolicited.length < UNSOLICITED_MAX) this.#unsolicited.push(message);
    }
  }

  #toOutcome(id: number, answer: RawResponse, streamed: unknown): RpcOutcome {
    const { ms, sent } = answer;
    if (answer.kind !== 'answer') return { ...answer, raw: '' };
    const facts = { ms, sent, raw: answer.body };
    const found = isStream(answer.headers)
      ? streamed
      : findAnswer(id, toList(parseJson(answer.body)));
    if (found !== undefined) return toOutcome(found, facts);
    const isRefusal = answer.status < 200 || answer.status > 299;
    if (isRefusal) return { kind: 'refused', status: answer.status, ...facts };
    return { kind: 'broken', reason: 'the answer has no JSON-RPC response', ...facts };
  }
}

/** Creates the error for a connection that could not be opened. */
export function connectionError(url: URL, outcome: RpcOutcome): AppError {
  const status = outcome.kind === 'refused' ? { status: outcome.status } : {};
  const why = outcome.kind === 'broken' ? { reason: outcome.reason } : {};
  return new AppError('AUDIT_TARGET_DOWN', {
    data: { target: url.href, outcome: outcome.kind, ...status, ...why },
  });
}

/** Returns path and query of a URL. */
export function pathAndQuery(url: URL): string {
  return `${url.pathname}${url.search}`;
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    if (signal.aborted) done();
    else signal.addEventListener('abort', done, { once: true });
  });
}

function isStream(headers: Readonly<Record<string, string>>): boolean {
  return headers['content-type']?.startsWith('text/event-stream') === true;
}

function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}

function deadlineOption(deadlineMs: number | undefined): { readonly deadlineMs?: number } {
  return deadlineMs === undefined ? {} : { deadlineMs };
}

function withProgressToken(params: unknown, progressToken: string | undefined): unknown {
  if (progressToken === undefined) return params;
  return { ...(params as object), _meta: { progressToken } };
}

/** Parses messages from an event stream as it arrives. */
export class EventStreamReader {
  readonly #lines = new LineReader();
  #data: string[] = [];
  #messages = 0;

  /** Whether the stream exceeded the message limit. It returns no more messages then. */
  get isOver(): boolean {
    return this.#messages > MESSAGES_MAX;
  }

  /** Returns the messages completed by this piece. Invalid JSON is skipped. */
  push(piece: string): readonly unknown[] {
    const found: unknown[] = [];
    for (const line of this.#lines.push(piece)) {
      if (this.isOver) break;
      if (line === '') found.push(...this.#complete());
      else if (line.startsWith('data:')) this.#data.push(line.slice(5).replace(/^ /, ''));
    }
    return found;
  }

  #complete(): readonly unknown[] {
    const data = this.#data.join('\n');
    this.#data = [];
    if (data === '') return [];
    this.#messages += 1;
    const message = this.isOver ? undefined : parseJson(data);
    return message === undefined ? [] : [message];
  }
}
