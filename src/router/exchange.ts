import type { RoutedInstance } from '../domain/hosting/routes.ts';
import { type Answerer, type ClientSide, STALL_MS } from './answerer.ts';
import { type BodyMeter, meterOf } from './body.ts';
import { forwardRequest, forwardResponse, isRepeatable, joined, ownAnswer } from './forward.ts';
import { HEAD_BYTES_MAX, parseResponseHead, type RequestHead, type ResponseHead } from './head.ts';
import type { RouteBook } from './route-book.ts';
import { Upstream, type UpstreamUser } from './upstream.ts';
import type { UpstreamPool } from './upstream-pool.ts';

/** Maximum time until an instance starts its response, in milliseconds. */
export const ANSWER_MS = 120_000;
/** Maximum number of instances tried for one request. */
const TRIES_MAX = 3;
const HEAD_END = Buffer.from('\r\n\r\n');
const NONE: ReadonlySet<string> = new Set();

/** Dependencies shared by all exchanges. */
export interface ExchangeParts {
  readonly pool: UpstreamPool;
  readonly book: RouteBook;
  readonly now: () => number;
}

/** A request and its candidate instances. */
export interface Asked {
  readonly head: RequestHead;
  readonly instances: readonly RoutedInstance[];
}

type Phase = 'connecting' | 'waiting' | 'answering' | 'changed' | 'ended';

/**
 * Forwards one request to an instance and its response back, piece by piece. Backpressure applies
 * in both directions, and no body is buffered.
 */
export class Exchange implements Answerer, UpstreamUser {
  readonly #parts: ExchangeParts;
  readonly #client: ClientSide;
  readonly #head: RequestHead;
  readonly #instances: readonly RoutedInstance[];
  #tried = NONE;
  readonly #request: BodyMeter | undefined;
  #isRequestDone: boolean;
  /**
   * Bytes that cannot be forwarded yet: body before there is a connection, or data sent before the
   * protocol switch.
   */
  #held: readonly Buffer[] = [];
  #phase: Phase = 'connecting';
  #instance: RoutedInstance | undefined;
  #upstream: Upstream | undefined;
  #isReused = false;
  /** True if the client sent data before the protocol switch. */
  #isEarly = false;
  /** True while the instance is paused until the client can receive data. */
  #isHeldBack = false;
  #tries = 0;
  #heard: Buffer | undefined;
  #answer: ResponseHead | undefined;
  #response: BodyMeter | undefined;
  /** Whether the response announced a persistent connection to the client. */
  #keepsAlive = false;
  #bytes = 0;
  #movedAt: number;

  constructor(parts: ExchangeParts, client: ClientSide, { head, instances }: Asked) {
    this.#parts = parts;
    this.#client = client;
    this.#head = head;
    this.#instances = instances;
    const { framing } = head;
    this.#request = framing.kind === 'none' ? undefined : meterOf(framing);
    this.#isRequestDone = framing.kind === 'none';
    this.#movedAt = parts.now();
  }

  /**
   * Starts forwarding the request.
   *
   * @param rest - Bytes received after its head.
   * @returns Bytes that do not belong to this request.
   */
  begin(rest: Buffer | undefined): Buffer | undefined {
    const surplus = rest === undefined ? undefined : this.take(rest);
    if (this.#phase === 'connecting') this.#reach();
    return surplus;
  }

  take(piece: Buffer): Buffer | undefined {
    this.#movedAt = this.#parts.now();
    if (this.#phase === 'changed') {
      this.#send(piece);
      return undefined;
    }
    if (this.#head.upgrade !== undefined) {
      this.#isEarly = true;
      this.#hold(piece);
      return undefined;
    }
    if (this.#request === undefined || this.#isRequestDone) return piece;
    const taken = this.#request.take(piece);
    if (taken === undefined) {
      this.#fail(400, 'The request body is malformed.');
      return undefined;
    }
    this.#isRequestDone = taken.isDone;
    const own = piece.subarray(0, taken.used);
    if (this.#phase === 'connecting') this.#hold(own);
    else this.#send(own);
    return taken.used < piece.length ? piece.subarray(taken.used) : undefined;
  }

  abort(): void {
    this.#end({ status: this.#answer?.status ?? 499, keepsAlive: false });
  }

  checkTime(now: number): void {
    const quiet = now - this.#movedAt;
    if (this.#phase === 'waiting' && this.#isRequestDone && quiet > ANSWER_MS) {
      this.#fail(504, 'The service did not respond in time.');
    } else if (this.#phase !== 'changed' && quiet > STALL_MS) {
      this.#client.socket.destroy();
      this.abort();
    }
  }

  resume(): void {
    if (!this.#isHeldBack) return;
    this.#isHeldBack = false;
    this.#upstream?.socket.resume();
  }

  stand(): void {
    this.#phase = 'waiting';
    const head = forwardRequest(this.#head, this.#client.address);
    if (this.#held.length === 0 || this.#head.upgrade !== undefined) {
      this.#upstream?.socket.write(head, 'latin1');
      return;
    }
    const body = this.#held;
    this.#held = [];
    this.#client.socket.resume();
    this.#send(joined(head, Buffer.concat(body)));
  }

  hear(piece: Buffer): void {
    this.#movedAt = this.#parts.now();
    if (this.#phase === 'waiting') this.#hearHead(piece);
    else if (this.#phase === 'answering') this.#pass(piece);
    else if (this.#phase === 'changed') this.#give(Buffer.from(piece));
  }

  drain(): void {
    if (this.#held.length === 0) this.#client.socket.resume();
  }

  lose(): void {
    this.#upstream = undefined;
    if (this.#phase === 'changed') {
      this.#end({ status: 101, keepsAlive: false });
      return;
    }
    const { method, framing } = this.#head;
    const isUnsaid = this.#phase === 'waiting' && this.#heard === undefined;
    const mayRepeat = isUnsaid && this.#isReused && isRepeatable(method, framing);
    if (this.#phase === 'connecting' || mayRepeat) this.#again();
    else if (this.#phase === 'waiting') this.#fail(502, 'The service closed the connection.');
    else if (this.#answer?.framing.kind === 'close') this.#finish(false);
    else this.#cut();
  }

  /** Selects the least loaded instance and connects to it. */
  #reach(): void {
    const { book } = this.#parts;
    const instance = book.pick(this.#instances, this.#tried);
    if (instance === undefined) {
      this.#fail(502, 'The service cannot be reached.');
      return;
    }
    this.#tries += 1;
    this.#instance = instance;
    book.begin(instance.id);
    this.#connect(instance);
  }

  #connect(instance: RoutedInstance): void {
    const { method, framing, upgrade } = this.#head;
    const mayReuse = this.#tries === 1 && upgrade === undefined;
    const open = mayReuse
      ? this.#parts.pool.reuse(instance, isRepeatable(method, framing))
      : undefined;
    this.#isReused = open !== undefined;
    if (open === undefined) {
      this.#upstream = new Upstream(instance, this);
      if (this.#held.length > 0) this.#client.socket.pause();
      return;
    }
    this.#upstream = open;
    open.use(this);
    this.stand();
  }

  #again(): void {
    const instance = this.#instance;
    if (instance !== undefined) {
      this.#parts.book.end(instance.id);
      // An instance that closed an idle connection is tried again; an unreachable one is not.
      if (!this.#isReused) this.#tried = new Set([...this.#tried, instance.id]);
    }
    this.#instance = undefined;
    this.#phase = 'connecting';
    if (this.#tries >= TRIES_MAX) this.#fail(502, 'The service cannot be reached.');
    else this.#reach();
  }

  /** Buffers bytes that cannot be forwarded yet, and pauses the client. */
  #hold(piece: Buffer): void {
    this.#held = [...this.#held, piece];
    // An idle connection may be available immediately, so only pause once an instance was selected.
    if (this.#instance !== undefined) this.#client.socket.pause();
  }

  #send(piece: Buffer | string): void {
    const socket = this.#upstream?.socket;
    // If the kernel accepted all data immediately, there is nothing to wait for.
    if (socket?.write(piece, 'latin1') === false && socket.writableLength > 0) {
      this.#client.socket.pause();
    }
  }

  #hearHead(piece: Buffer): void {
    let rest = this.#heard === undefined ? piece : Buffer.concat([this.#heard, piece]);
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
    this.#heard = Buffer.from(rest);
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
    this.#heard = undefined;
    this.#keepsAlive = this.#keepsClient;
    const text = forwardResponse(answer, { keepsAlive: this.#keepsAlive });
    if (answer.status === 101) this.#change(text, rest);
    else this.#open(text, rest);
  }

  /** Forwards the response head with the body bytes that came with it. */
  #open(text: string, rest: Buffer): void {
    const framing = this.#answer?.framing;
    this.#phase = 'answering';
    if (framing === undefined || framing.kind === 'none') {
      this.#write(text);
      this.#finish(rest.length === 0);
      return;
    }
    this.#response = meterOf(framing);
    this.#pass(rest, text);
  }

  #change(text: string, rest: Buffer): void {
    this.#phase = 'changed';
    this.#write(text);
    this.#client.socket.resume();
    if (rest.length > 0) this.#give(Buffer.from(rest));
    for (const piece of this.#held) this.#send(piece);
    this.#held = [];
  }

  /** Forwards a part of the body, after any text that must precede it. */
  #pass(piece: Buffer, before = ''): void {
    const taken = this.#response?.take(piece);
    if (taken === undefined) {
      this.#cut();
      return;
    }
    this.#bytes += taken.used;
    this.#give(joined(before, piece.subarray(0, taken.used)));
    if (taken.isDone) this.#finish(taken.used === piece.length);
  }

  #give(piece: Buffer | string): void {
    const { socket } = this.#client;
    if (socket.write(piece, 'latin1') || socket.writableLength === 0) return;
    this.#isHeldBack = true;
    this.#upstream?.socket.pause();
  }

  #write(text: string): void {
    this.#client.socket.write(text, 'latin1');
  }

  /** Whether client and router still agree on where the next request starts. */
  get #keepsClient(): boolean {
    const isSure = this.#isRequestDone && !this.#isEarly;
    const asks = this.#head.keepsAlive && this.#client.mayGoOn;
    return isSure && asks && this.#answer?.framing.kind !== 'close';
  }

  #finish(isClean: boolean): void {
    const upstream = this.#upstream;
    const mayKeep = isClean && this.#isRequestDone && this.#answer?.keepsAlive === true;
    if (mayKeep && upstream !== undefined) {
      this.resume();
      this.#parts.pool.keep(upstream);
      this.#upstream = undefined;
    }
    this.#end({ status: this.#answer?.status ?? 502, keepsAlive: this.#keepsAlive });
  }

  /**
   * Closes the client's connection, because it would otherwise take the broken response as
   * complete.
   */
  #cut(): void {
    this.#client.socket.destroy();
    this.#end({ status: this.#answer?.status ?? 502, keepsAlive: false });
  }

  #fail(status: number, text: string): void {
    if (this.#phase === 'ended') return;
    if (this.#answer !== undefined) {
      this.#cut();
      return;
    }
    const keepsAlive = this.#keepsClient;
    const { method } = this.#head;
    this.#client.socket.write(ownAnswer({ status, text }, { method, keepsAlive }));
    this.#end({ status, keepsAlive });
  }

  #end({ status, keepsAlive }: { readonly status: number; readonly keepsAlive: boolean }): void {
    if (this.#phase === 'ended') return;
    this.#phase = 'ended';
    const instance = this.#instance?.id;
    this.#upstream?.destroy();
    if (instance !== undefined) this.#parts.book.end(instance);
    this.#client.end({ status, bytes: this.#bytes, keepsAlive, instance });
  }
}
