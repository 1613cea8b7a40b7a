import { type ClientRequest, type IncomingMessage, request as plainRequest } from 'node:http';
import { request as tlsRequest } from 'node:https';
import type { RawResponse } from '../../domain/audit/audit-target.ts';
import { AppError } from '../../domain/common/error.ts';
import { ANSWER_BYTES_MAX } from './messages.ts';
import type { PinnedAddress } from './pin-address.ts';
import type { SpendingBudget } from './spending-budget.ts';

/** Most bytes of the headers of one answer. */
const HEADER_BYTES_MAX = 32_768;
/** Most chunks of one answer: a target that sends single bytes is cut off. */
const PIECES_MAX = 20_000;
/** Most characters of a request that are kept as evidence. */
const SENT_CHARS_MAX = 20_000;

/** An HTTP request to a target. */
export interface WireRequest {
  readonly method: string;
  /** Path and query of the URL. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly deadlineMs?: number;
  readonly answerBytesMax?: number;
  readonly signal?: AbortSignal;
  /** Receives the answer as it arrives and returns whether to read on. */
  readonly onPiece?: (piece: string, headers: Headers) => ReadOn;
}

type Headers = Readonly<Record<string, string>>;

/** Whether to read on. `enough` ends the answer. `broken` states why reading stops. */
export type ReadOn = 'more' | 'enough' | { readonly broken: string };

/**
 * Sends one request to the pinned address on its own connection. Redirects are returned, not
 * followed.
 *
 * @throws {AppError} `AUDIT_BUDGET`, `AUDIT_STOPPED`
 */
export async function sendHttp(
  pinned: PinnedAddress,
  wire: WireRequest,
  spending: SpendingBudget,
): Promise<RawResponse> {
  const sent = formatSentText(pinned, wire);
  const deadlineMs = spending.reserveRequest(Buffer.byteLength(sent), wire.deadlineMs);
  const startedAt = performance.now();
  const exchange = new HttpExchange(pinned, wire, spending);
  const outcome = await exchange.run(deadlineMs);
  if (outcome.kind === 'failed') {
    spending.requireRunning();
    throw outcome.cause;
  }
  const facts = { ms: Math.round(performance.now() - startedAt), sent };
  if (outcome.kind === 'silent') {
    spending.requireRunning();
    spending.requireTime();
  }
  return { ...outcome, ...facts };
}

type ExchangeOutcome =
  | { kind: 'answer'; status: number; headers: Headers; body: string; isCut: boolean }
  | { kind: 'silent' }
  | { kind: 'broken'; reason: string }
  | { kind: 'failed'; cause: unknown };

class HttpExchange {
  readonly #pinned: PinnedAddress;
  readonly #wire: WireRequest;
  readonly #spending: SpendingBudget;
  #request: ClientRequest | undefined;
  #resolve: (outcome: ExchangeOutcome) => void = () => undefined;
  #isSettled = false;

  constructor(pinned: PinnedAddress, wire: WireRequest, spending: SpendingBudget) {
    this.#pinned = pinned;
    this.#wire = wire;
    this.#spending = spending;
  }

  async run(deadlineMs: number): Promise<ExchangeOutcome> {
    const { signal } = this.#wire;
    const stop = () => this.#end({ kind: 'failed', cause: new AppError('AUDIT_STOPPED') });
    const giveUp = () => this.#end({ kind: 'silent' });
    const timer = setTimeout(giveUp, deadlineMs);
    this.#spending.signal.addEventListener('abort', stop, { once: true });
    signal?.addEventListener('abort', giveUp, { once: true });
    try {
      return await new Promise<ExchangeOutcome>((resolve) => {
        this.#resolve = resolve;
        if (signal?.aborted === true) giveUp();
        else this.#send();
      });
    } finally {
      clearTimeout(timer);
      this.#spending.signal.removeEventListener('abort', stop);
      signal?.removeEventListener('abort', giveUp);
      this.#request?.destroy();
    }
  }

  #send(): void {
    const { url, address } = this.#pinned;
    const { method, path, headers, body } = this.#wire;
    const isTls = url.protocol === 'https:';
    const open = isTls ? tlsRequest : plainRequest;
    try {
      const request = open({
        host: address,
        port: url.port === '' ? (isTls ? 443 : 80) : Number(url.port),
        ...(isTls ? { servername: url.hostname } : {}),
        method,
        path,
        headers: { host: url.host, ...headers },
        agent: false,
        maxHeaderSize: HEADER_BYTES_MAX,
      });
      this.#request = request;
      request.on('error', (error) => this.#end({ kind: 'broken', reason: describeError(error) }));
      request.on('response', (response) => this.#read(response));
      request.end(body);
    } catch (error) {
      this.#end({ kind: 'broken', reason: describeError(error) });
    }
  }

  #read(response: IncomingMessage): void {
    const headers = flattenHeaders(response.headers);
    const max = this.#wire.answerBytesMax ?? ANSWER_BYTES_MAX;
    const status = response.statusCode ?? 0;
    const decoder = new TextDecoder();
    let body = '';
    let size = 0;
    let pieces = 0;
    const finish = (isCut: boolean) => this.#end({ kind: 'answer', status, headers, body, isCut });
    response.on('data', (chunk: Buffer) => {
      if (this.#isSettled) return;
      size += chunk.byteLength;
      const isOver = size > max;
      const kept = isOver ? chunk.subarray(0, chunk.byteLength - (size - max)) : chunk;
      const piece = decoder.decode(kept, { stream: true });
      body += piece;
      try {
        this.#spending.addBytes(chunk.byteLength);
      } catch (cause) {
        this.#end({ kind: 'failed', cause });
        return;
      }
      pieces += 1;
      const tooMany = { broken: `more than ${PIECES_MAX} chunks` };
      const next = pieces > PIECES_MAX ? tooMany : (this.#wire.onPiece?.(piece, headers) ?? 'more');
      if (typeof next === 'object') this.#end({ kind: 'broken', reason: next.broken });
      else if (next === 'enough') finish(false);
      else if (isOver) finish(true);
    });
    response.on('end', () => finish(false));
    response.on('error', (error) => this.#end({ kind: 'broken', reason: describeError(error) }));
    response.on('aborted', () => this.#end({ kind: 'broken', reason: 'cut' }));
  }

  #end(outcome: ExchangeOutcome): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.#resolve(outcome);
  }
}

function formatSentText(
  { url }: PinnedAddress,
  { method, path, headers, body }: WireRequest,
): string {
  const lines = Object.entries({ host: url.host, ...headers }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  const head = `${method} ${path}\n${lines.join('\n')}`;
  return `${head}\n\n${body ?? ''}`.slice(0, SENT_CHARS_MAX);
}

function flattenHeaders(headers: IncomingMessage['headers']): Headers {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
    ),
  );
}

function describeError(error: unknown): string {
  const code = (error as { code?: unknown } | undefined)?.code;
  if (typeof code === 'string') return code;
  return error instanceof Error ? error.message.slice(0, 200) : 'unknown';
}
