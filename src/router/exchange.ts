import type { RoutedInstance } from '../domain/hosting/routes.ts';
import { type Answerer, type ClientSide, STALL_MS } from './answerer.ts';
import { type BodyMeter, meterOf } from './body.ts';
import { forwardRequest, forwardResponse, isRepeatable, joined, ownAnswer } from './forward.ts';
import { HEAD_BYTES_MAX, parseResponseHead, type RequestHead, type ResponseHead } from './head.ts';
import type { RouteBook } from './route-book.ts';
import { Upstream, type UpstreamUser } from './upstream.ts';
import type { UpstreamPool } from './upstream-pool.ts';

/** How long an instance may take until its answer begins, in milliseconds. */
export const ANSWER_MS = 120_000;
/** How often an instance that cannot be reached is replaced by another one. */
const TRIES_MAX = 3;
const HEAD_END = Buffer.from('\r\n\r\n');
const NONE: ReadonlySet<string> = new Set();

/** What all exchanges share. */
export interface ExchangeParts {
  readonly pool: UpstreamPool;
  readonly book: RouteBook;
  readonly now: () => number;
}

/** What is asked, and who may answer it. */
export interface Asked {
  readonly head: RequestHead;
  readonly instances: readonly RoutedInstance[];
}

type Phase = 'connecting' | 'waiting' | 'answering' | 'changed' | 'ended';

/**
 * Brings one request to an instance and its answer back, piece by piece: neither side runs ahead of
 * the other, and no body is kept.
 */
export class Exchange implements Answerer, UpstreamUser {
  readonly #parts: ExchangeParts;
  readonly #client: ClientSide;
  readonly #head: RequestHead;
  readonly #instances: readonly RoutedInstance[];
  #tried = NONE;
  readonly #request: BodyMeter | undefined;
  #isRequestDone: boolean;
  /** What cannot go on yet: body without a connection, or words before the protocol is changed. */
  #held: readonly Buffer[] = [];
  #phase: Phase = 'connecting';
  #instance: RoutedInstance | undefined;
  #upstream: Upstream | undefined;
  #isReused = false;
  /** The client spoke before the protocol was changed. */
  #isEarly = false;
  /** The instance waits until the client has room. */
  #isHeldBack = false;
  #tries = 0;
  #heard: Buffer | undefined;
  #answer: ResponseHead | undefined;
  #response: BodyMeter | undefined;
  /** What the client was told about its connection. */
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
   * Sends the request on its way.
   *
   * @param rest - What came with its head.
   * @returns What is no part of this request.
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
      this.#fail(400, 'The body of the request is malformed.');
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
      this.#fail(504, 'The service did not answer in time.');
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
    else if (this.#phase === 'waiting') this.#fail(502, 'The service hung up.');
    else if (this.#answer?.framing.kind === 'close') this.#finish(false);
    else this.#cut();
  }

  /** Asks the instance that has the least to do. */
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
      // One that hung up on an old connection is asked again; one that is not there is not.
      if (!this.#isReused) this.#tried = new Set([...this.#tried, instance.id]);
    }
    this.#instance = undefined;
    this.#phase = 'connecting';
    if (this.#tries >= TRIES_MAX) this.#fail(502, 'The service cannot be reached.');
    else this.#reach();
  }

  /** Keeps what cannot go on yet, and takes no more until it has. */
  #hold(piece: Buffer): void {
    this.#held = [...this.#held, piece];
    // Before there is an instance, a connection may stand at once.
    if (this.#instance !== undefined) this.#client.socket.pause();
  }

  #send(piece: Buffer | string): void {
    const socket = this.#upstream?.socket;
    // What the kernel took at once leaves nothing to wait for.
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
        this.#fail(502, 'The service gave a malformed answer.');
        return;
      }
      rest = rest.subarray(end + HEAD_END.length);
      if (answer.status === 101 || answer.status >= 200) {
        this.#begin(answer, rest);
        return;
      }
      // An interim answer, such as 100: the real one follows.
      if (this.#head.minor === 1) this.#write(forwardResponse(answer, { keepsAlive: true }));
    }
    if (rest.length > HEAD_BYTES_MAX) {
      this.#fail(502, 'The head of the answer is too long.');
      return;
    }
    this.#heard = Buffer.from(rest);
  }

  #begin(answer: ResponseHead, rest: Buffer): void {
    const { minor, upgrade } = this.#head;
    if (answer.status === 101 && upgrade === undefined) {
      this.#fail(502, 'The service changed the protocol unasked.');
      return;
    }
    if (minor === 0 && answer.framing.kind === 'chunked') {
      this.#fail(502, 'The service answered in a version that the client does not know.');
      return;
    }
    this.#answer = answer;
    this.#heard = undefined;
    this.#keepsAlive = this.#keepsClient;
    const text = forwardResponse(answer, { keepsAlive: this.#keepsAlive });
    if (answer.status === 101) this.#change(text, rest);
    else this.#open(text, rest);
  }

  /** Passes the head of the answer on, with the body that came with it. */
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

  /** Passes a part of the body on, behind what is to be said before it. */
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

  /** Whether client and router still agree about where the next request begins. */
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

  /** The answer broke off: so does the connection, or the client would take it for whole. */
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
