import type { RoutedInstance } from '../domain/hosting/routes.ts';
import { type BodyCounter, createBodyCounter } from './body.ts';
import {
  formatOwnResponse,
  forwardRequest,
  forwardResponse,
  isRepeatable,
  joinHead,
} from './forward.ts';
import { HEAD_BYTES_MAX, parseResponseHead, type RequestHead, type ResponseHead } from './head.ts';
import { type ClientHandle, type RequestHandler, STALL_MS } from './request-handler.ts';
import type { RouteRegistry } from './route-registry.ts';
import { Upstream, type UpstreamUser } from './upstream.ts';
import type { UpstreamPool } from './upstream-pool.ts';

/** Maximum time until an instance starts its response, in milliseconds. */
export const ANSWER_MS = 120_000;
/** Maximum number of instances tried for one request. */
const TRIES_MAX = 3;
const HEAD_END = Buffer.from('\r\n\r\n');
const NO_INSTANCES: ReadonlySet<string> = new Set();

/** Dependencies shared by all exchanges. */
export interface ExchangeParts {
  readonly pool: UpstreamPool;
  readonly book: RouteRegistry;
  readonly now: () => number;
}

/** A request and its candidate instances. */
export interface ExchangeRequest {
  readonly head: RequestHead;
  readonly instances: readonly RoutedInstance[];
}

type ExchangePhase = 'connecting' | 'waiting' | 'answering' | 'changed' | 'ended';

/**
 * Forwards one request to an instance and its response back, piece by piece. Backpressure applies
 * in both directions, and no body is buffered.
 */
export class Exchange implements RequestHandler, UpstreamUser {
  readonly #parts: ExchangeParts;
  readonly #client: ClientHandle;
  readonly #head: RequestHead;
  readonly #instances: readonly RoutedInstance[];
  #tried = NO_INSTANCES;
  readonly #requestBody: BodyCounter | undefined;
  #isRequestDone: boolean;
  /**
   * Bytes that cannot be forwarded yet: body before there is a connection, or data sent before the
   * protocol switch.
   */
  #pending: readonly Buffer[] = [];
  #phase: ExchangePhase = 'connecting';
  #instance: RoutedInstance | undefined;
  #upstream: Upstream | undefined;
  #isReused = false;
  /** True if the client sent data before the protocol switch. */
  #isEarly = false;
  /** True while the instance is paused until the client can receive data. */
  #isUpstreamPaused = false;
  #tries = 0;
  #headBytes: Buffer | undefined;
  #answer: ResponseHead | undefined;
  #responseBody: BodyCounter | undefined;
  /** Whether the response announced a persistent connection to the client. */
  #keepsAlive = false;
  #bytes = 0;
  #lastProgressAt: number;

  constructor(parts: ExchangeParts, client: ClientHandle, { head, instances }: ExchangeRequest) {
    this.#parts = parts;
    this.#client = client;
    this.#head = head;
    this.#instances = instances;
    const { framing } = head;
    this.#requestBody = framing.kind === 'none' ? undefined : createBodyCounter(framing);
    this.#isRequestDone = framing.kind === 'none';
    this.#lastProgressAt = parts.now();
  }

  /**
   * Starts forwarding the request.
   *
   * @param rest - Bytes received after its head.
   * @returns Bytes that do not belong to this request.
   */
  handleResponse(rest: Buffer | undefined): Buffer | undefined {
    const surplus = rest === undefined ? undefined : this.consume(rest);
    if (this.#phase === 'connecting') this.#selectInstance();
    return surplus;
  }

  consume(piece: Buffer): Buffer | undefined {
    this.#lastProgressAt = this.#parts.now();
    if (this.#phase === 'changed') {
      this.#sendUpstream(piece);
      return undefined;
    }
    if (this.#head.upgrade !== undefined) {
      this.#isEarly = true;
      this.#buffer(piece);
      return undefined;
    }
    if (this.#requestBody === undefined || this.#isRequestDone) return piece;
    const consumed = this.#requestBody.consume(piece);
    if (consumed === undefined) {
      this.#fail(400, 'The request body is malformed.');
      return undefined;
    }
    this.#isRequestDone = consumed.isDone;
    const own = piece.subarray(0, consumed.used);
    if (this.#phase === 'connecting') this.#buffer(own);
    else this.#sendUpstream(own);
    return consumed.used < piece.length ? piece.subarray(consumed.used) : undefined;
  }

  abort(): void {
    this.#end({ status: this.#answer?.status ?? 499, keepsAlive: false });
  }

  checkTime(now: number): void {
    const idleMs = now - this.#lastProgressAt;
    if (this.#phase === 'waiting' && this.#isRequestDone && idleMs > ANSWER_MS) {
      this.#fail(504, 'The service did not respond in time.');
    } else if (this.#phase !== 'changed' && idleMs > STALL_MS) {
      this.#client.socket.destroy();
      this.abort();
    }
  }

  resume(): void {
    if (!this.#isUpstreamPaused) return;
    this.#isUpstreamPaused = false;
    this.#upstream?.socket.resume();
  }

  onConnect(): void {
    this.#phase = 'waiting';
    const head = forwardRequest(this.#head, this.#client.address);
    if (this.#pending.length === 0 || this.#head.upgrade !== undefined) {
      this.#upstream?.socket.write(head, 'latin1');
      return;
    }
    const body = this.#pending;
    this.#pending = [];
    this.#client.socket.resume();
    this.#sendUpstream(joinHead(head, Buffer.concat(body)));
  }

  onData(piece: Buffer): void {
    this.#lastProgressAt = this.#parts.now();
    if (this.#phase === 'waiting') this.#receiveHead(piece);
    else if (this.#phase === 'answering') this.#forwardBody(piece);
    else if (this.#phase === 'changed') this.#writeToClient(Buffer.from(piece));
  }

  onDrain(): void {
    if (this.#pending.length === 0) this.#client.socket.resume();
  }

  onClose(): void {
    this.#upstream = undefined;
    if (this.#phase === 'changed') {
      this.#end({ status: 101, keepsAlive: false });
      return;
    }
    const { method, framing } = this.#head;
    const hasNoResponse = this.#phase === 'waiting' && this.#headBytes === undefined;
    const mayRepeat = hasNoResponse && this.#isReused && isRepeatable(method, framing);
    if (this.#phase === 'connecting' || mayRepeat) this.#retry();
    else if (this.#phase === 'waiting') this.#fail(502, 'The service closed the connection.');
    else if (this.#answer?.framing.kind === 'close') this.#finish(false);
    else this.#abortResponse();
  }

  /** Selects the least loaded instance and connects to it. */
  #selectInstance(): void {
    const { book: routes } = this.#parts;
    const instance = routes.pickInstance(this.#instances, this.#tried);
    if (instance === undefined) {
      this.#fail(502, 'The service cannot be reached.');
      return;
    }
    this.#tries += 1;
    this.#instance = instance;
    routes.startRequest(instance.id);
    this.#connect(instance);
  }

  #connect(instance: RoutedInstance): void {
    const { method, framing, upgrade } = this.#head;
    const mayReuse = this.#tries === 1 && upgrade === undefined;
    const open = mayReuse
      ? this.#parts.pool.acquire(instance, isRepeatable(method, framing))
      : undefined;
    this.#isReused = open !== undefined;
    if (open === undefined) {
      this.#upstream = new Upstream(instance, this);
      if (this.#pending.length > 0) this.#client.socket.pause();
      return;
    }
    this.#upstream = open;
    open.assign(this);
    this.onConnect();
  }

  #retry(): void {
    const instance = this.#instance;
    if (instance !== undefined) {
      this.#parts.book.endRequest(instance.id);
      // An instance that closed an idle connection is tried again; an unreachable one is not.
      if (!this.#isReused) this.#tried = new Set([...this.#tried, instance.id]);
    }
    this.#instance = undefined;
    this.#phase = 'connecting';
    if (this.#tries >= TRIES_MAX) this.#fail(502, 'The service cannot be reached.');
    else this.#selectInstance();
  }

  /** Buffers bytes that cannot be forwarded yet, and pauses the client. */
  #buffer(piece: Buffer): void {
    this.#pending = [...this.#pending, piece];
    // An idle connection may be available immediately, so only pause once an instance was selected.
    if (this.#instance !== undefined) this.#client.socket.pause();
  }

  #sendUpstream(piece: Buffer | string): void {
    const socket = this.#upstream?.socket;
    // If the kernel accepted all data immediately, there is nothing to wait for.
    if (socket?.write(piece, 'latin1') === false && socket.writableLength > 0) {
      this.#client.socket.pause();
    }
  }

  #receiveHead(piece: Buffer): void {
    let rest = this.#headBytes === undefined ? piece : Buffer.concat([this.#headBytes, piece]);
    for (;;) {
      const end = rest.indexOf(HEAD_END);
      if (end === -1) break;
      const answer = parseResponseHead(rest.toString('latin1', 0, end), this.#head.method);
      if ('why' in answer) {
        this.#fail(502, 'The service sent a malformed response.');
        return;
      }
      rest = rest.subarray(end + HEAD_END.length);
      if (answer.status === 101 || answer.status >= 200) {
        this.#begin(answer, rest);
        return;
      }
      // An interim response, such as 100: the final one follows.
      if (this.#head.minor === 1) this.#write(forwardResponse(answer, { keepsAlive: true }));
    }
    if (rest.length > HEAD_BYTES_MAX) {
      this.#fail(502, 'The response head is too long.');
      return;
    }
    this.#headBytes = Buffer.from(rest);
  }

  #begin(answer: ResponseHead, rest: Buffer): void {
    const { minor, upgrade } = this.#head;
    if (answer.status === 101 && upgrade === undefined) {
      this.#fail(502, 'The service switched protocols without a request to do so.');
      return;
    }
    if (minor === 0 && answer.framing.kind === 'chunked') {
      this.#fail(502, 'The service responded in a version that the client does not support.');
      return;
    }
    this.#answer = answer;
    this.#headBytes = undefined;
    this.#keepsAlive = this.#canKeepClient;
    const text = forwardResponse(answer, { keepsAlive: this.#keepsAlive });
    if (answer.status === 101) this.#switchProtocol(text, rest);
    else this.#startResponse(text, rest);
  }

  /** Forwards the response head with the body bytes that came with it. */
  #startResponse(text: string, rest: Buffer): void {
    const framing = this.#answer?.framing;
    this.#phase = 'answering';
    if (framing === undefined || framing.kind === 'none') {
      this.#write(text);
      this.#finish(rest.length === 0);
      return;
    }
    this.#responseBody = createBodyCounter(framing);
    this.#forwardBody(rest, text);
  }

  #switchProtocol(text: string, rest: Buffer): void {
    this.#phase = 'changed';
    this.#write(text);
    this.#client.socket.resume();
    if (rest.length > 0) this.#writeToClient(Buffer.from(rest));
    for (const piece of this.#pending) this.#sendUpstream(piece);
    this.#pending = [];
  }

  /** Forwards a part of the body, after any text that must precede it. */
  #forwardBody(piece: Buffer, before = ''): void {
    const taken = this.#responseBody?.consume(piece);
    if (taken === undefined) {
      this.#abortResponse();
      return;
    }
    this.#bytes += taken.used;
    this.#writeToClient(joinHead(before, piece.subarray(0, taken.used)));
    if (taken.isDone) this.#finish(taken.used === piece.length);
  }

  #writeToClient(piece: Buffer | string): void {
    const { socket } = this.#client;
    if (socket.write(piece, 'latin1') || socket.writableLength === 0) return;
    this.#isUpstreamPaused = true;
    this.#upstream?.socket.pause();
  }

  #write(text: string): void {
    this.#client.socket.write(text, 'latin1');
  }

  /** Whether client and router still agree on where the next request starts. */
  get #canKeepClient(): boolean {
    const isSure = this.#isRequestDone && !this.#isEarly;
    const asks = this.#head.keepsAlive && this.#client.canContinue;
    return isSure && asks && this.#answer?.framing.kind !== 'close';
  }

  #finish(isClean: boolean): void {
    const upstream = this.#upstream;
    const mayKeep = isClean && this.#isRequestDone && this.#answer?.keepsAlive === true;
    if (mayKeep && upstream !== undefined) {
      this.resume();
      this.#parts.pool.release(upstream);
      this.#upstream = undefined;
    }
    this.#end({ status: this.#answer?.status ?? 502, keepsAlive: this.#keepsAlive });
  }

  /**
   * Closes the client's connection, because it would otherwise take the broken response as
   * complete.
   */
  #abortResponse(): void {
    this.#client.socket.destroy();
    this.#end({ status: this.#answer?.status ?? 502, keepsAlive: false });
  }

  #fail(status: number, text: string): void {
    if (this.#phase === 'ended') return;
    if (this.#answer !== undefined) {
      this.#abortResponse();
      return;
    }
    const keepsAlive = this.#canKeepClient;
    const { method } = this.#head;
    this.#client.socket.write(formatOwnResponse({ status, text }, { method, keepsAlive }));
    this.#end({ status, keepsAlive });
  }

  #end({ status, keepsAlive }: { readonly status: number; readonly keepsAlive: boolean }): void {
    if (this.#phase === 'ended') return;
    this.#phase = 'ended';
    const instance = this.#instance?.id;
    this.#upstream?.destroy();
    if (instance !== undefined) this.#parts.book.endRequest(instance);
    this.#client.endConnection({ status, bytes: this.#bytes, keepsAlive, instance });
  }
}
