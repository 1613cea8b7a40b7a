import type { Socket } from 'node:net';
import type { RoutedInstance } from '../domain/hosting/routes.ts';
import { type BodyMeter, meterOf } from './body.ts';
import { forwardRequest, forwardResponse, isRepeatable, ownAnswer } from './forward.ts';
import { HEAD_BYTES_MAX, parseResponseHead, type RequestHead, type ResponseHead } from './head.ts';
import type { RouteBook } from './route-book.ts';
import type { UpstreamPool } from './upstream-pool.ts';

/** How long an instance may take until its answer begins, in milliseconds. */
export const ANSWER_MS = 120_000;
/** How long nothing may move while a body goes either way. */
export const STALL_MS = 15 * 60_000;
/** How often an instance that cannot be reached is replaced by another one. */
const TRIES_MAX = 3;
const HEAD_END = Buffer.from('\r\n\r\n');

/** How an exchange ended. */
export interface Ended {
  /** Of the answer; 499 when the client left before there was one. */
  readonly status: number;
  /** Bytes of the answer that went to the client. */
  readonly bytes: number;
  readonly instance?: string;
  /** Whether the client's connection takes another request. */
  readonly keepsAlive: boolean;
}

/** What answers one request. */
export interface Answerer {
  /** Takes what the client sent. @returns What is no part of this request. */
  take(piece: Buffer): Buffer | undefined;
  /** The client is gone. */
  abort(): void;
  /** Gives up what has taken too long. */
  checkTime(now: number): void;
}

/** What an exchange is made of. */
export interface ExchangeParts {
  readonly client: Socket;
  readonly head: RequestHead;
  readonly instances: readonly RoutedInstance[];
  /** Address of the client. */
  readonly caller: string;
  readonly pool: UpstreamPool;
  readonly book: RouteBook;
  readonly now: () => number;
  /** Told once. */
  readonly onEnd: (ended: Ended) => void;
}

type Phase = 'connecting' | 'waiting' | 'answering' | 'changed' | 'ended';

/**
 * Brings one request to an instance and its answer back, piece by piece: neither side runs ahead of
 * the other, and no body is kept.
 */
export class Exchange implements Answerer {
  readonly #parts: ExchangeParts;
  readonly #tried = new Set<string>();
  readonly #request: BodyMeter | undefined;
  #isRequestDone: boolean;
  /** Body that came before the connection stood. */
  #held: Buffer[] = [];
  /** What a client sends that does not wait until the protocol is changed. */
  readonly #early: Buffer[] = [];
  #phase: Phase = 'connecting';
  #instance: RoutedInstance | undefined;
  #upstream: Socket | undefined;
  #isReused = false;
  #tries = 0;
  #heard: Buffer | undefined;
  #answer: ResponseHead | undefined;
  #response: BodyMeter | undefined;
  #bytes = 0;
  #movedAt: number;

  constructor(parts: ExchangeParts) {
    this.#parts = parts;
    const { framing } = parts.head;
    this.#request = framing.kind === 'none' ? undefined : meterOf(framing);
    this.#isRequestDone = framing.kind === 'none';
    this.#movedAt = parts.now();
  }

  /** Sends the request on its way. */
  begin(): void {
    const { book, instances } = this.#parts;
    const instance = book.pick(instances, this.#tried);
    if (instance === undefined) {
      this.#fail(502, 'The service cannot be reached.');
      return;
    }
    this.#tries += 1;
    this.#instance = instance;
    book.begin(instance.id);
    this.#connect(instance);
  }

  take(piece: Buffer): Buffer | undefined {
    this.#movedAt = this.#parts.now();
    if (this.#phase === 'changed') {
      this.#send(piece);
      return undefined;
    }
    if (this.#parts.head.upgrade !== undefined) {
      this.#early.push(piece);
      this.#parts.client.pause();
      return undefined;
    }
    if (this.#request === undefined || this.#isRequestDone) return piece;
    const taken = this.#request.take(piece);
    if (taken === undefined) {
      this.#fail(400, 'The body of the request is malformed.');
      return undefined;
    }
    this.#isRequestDone = taken.isDone;
    this.#send(piece.subarray(0, taken.used));
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
      this.#parts.client.destroy();
      this.abort();
    }
  }

  #connect(instance: RoutedInstance): void {
    const { pool, head } = this.#parts;
    const canRepeat = isRepeatable(head.method, head.framing);
    const isFirst = this.#tries === 1;
    const open =
      isFirst && head.upgrade === undefined ? pool.reuse(instance, canRepeat) : undefined;
    this.#isReused = open !== undefined;
    const socket = open ?? pool.open(instance);
    this.#upstream = socket;
    socket.on('data', (piece: Buffer) => this.#hear(piece));
    socket.on('close', () => this.#lose());
    if (open === undefined) socket.once('connect', () => this.#speak(socket));
    else this.#speak(socket);
  }

  #speak(socket: Socket): void {
    this.#phase = 'waiting';
    const { head, caller, client } = this.#parts;
    socket.cork();
    socket.write(forwardRequest(head, caller), 'latin1');
    for (const piece of this.#held) socket.write(piece);
    socket.uncork();
    this.#held = [];
    client.resume();
  }

  #send(piece: Buffer): void {
    const { client } = this.#parts;
    if (this.#phase === 'connecting') {
      this.#held.push(piece);
      client.pause();
    } else if (this.#upstream?.write(piece) === false) {
      client.pause();
      this.#upstream.once('drain', () => client.resume());
    }
  }

  #hear(piece: Buffer): void {
    this.#movedAt = this.#parts.now();
    if (this.#phase === 'waiting') this.#hearHead(piece);
    else if (this.#phase === 'answering') this.#pass(piece);
    else if (this.#phase === 'changed') this.#give(piece);
  }

  #hearHead(piece: Buffer): void {
    let rest = this.#heard === undefined ? piece : Buffer.concat([this.#heard, piece]);
    for (;;) {
      const end = rest.indexOf(HEAD_END);
      if (end === -1) break;
      const answer = parseResponseHead(rest.toString('latin1', 0, end), this.#parts.head.method);
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
      if (this.#parts.head.minor === 1) this.#write(forwardResponse(answer, { keepsAlive: true }));
    }
    if (rest.length > HEAD_BYTES_MAX) {
      this.#fail(502, 'The head of the answer is too long.');
      return;
    }
    this.#heard = rest;
  }

  #begin(answer: ResponseHead, rest: Buffer): void {
    const { head } = this.#parts;
    const isChange = answer.status === 101;
    if (isChange && head.upgrade === undefined) {
      this.#fail(502, 'The service changed the protocol unasked.');
      return;
    }
    if (head.minor === 0 && answer.framing.kind === 'chunked') {
      this.#fail(502, 'The service answered in a version that the client does not know.');
      return;
    }
    this.#answer = answer;
    this.#heard = undefined;
    const text = forwardResponse(answer, { keepsAlive: this.#keepsClient });
    if (isChange) {
      this.#phase = 'changed';
      this.#write(text);
      if (rest.length > 0) this.#give(rest);
      for (const piece of this.#early) this.#send(piece);
      this.#parts.client.resume();
      return;
    }
    this.#phase = 'answering';
    if (answer.framing.kind === 'none') {
      this.#write(text);
      this.#finish(rest.length === 0);
      return;
    }
    this.#response = meterOf(answer.framing);
    const { client } = this.#parts;
    client.cork();
    this.#write(text);
    if (rest.length > 0) this.#pass(rest);
    client.uncork();
  }

  #pass(piece: Buffer): void {
    const taken = this.#response?.take(piece);
    if (taken === undefined) {
      this.#cut();
      return;
    }
    this.#give(taken.used === piece.length ? piece : piece.subarray(0, taken.used));
    if (taken.isDone) this.#finish(taken.used === piece.length);
  }

  #give(piece: Buffer): void {
    this.#bytes += piece.length;
    const upstream = this.#upstream;
    if (this.#parts.client.write(piece) || upstream === undefined) return;
    upstream.pause();
    this.#parts.client.once('drain', () => upstream.resume());
  }

  #write(text: string): void {
    this.#parts.client.write(text, 'latin1');
  }

  /** The instance hung up. */
  #lose(): void {
    if (this.#phase === 'ended') return;
    if (this.#phase === 'changed') {
      this.#end({ status: 101, keepsAlive: false });
      return;
    }
    const { head } = this.#parts;
    const isUnsaid = this.#phase === 'waiting' && this.#heard === undefined;
    const mayRepeat = isUnsaid && this.#isReused && isRepeatable(head.method, head.framing);
    if (this.#phase === 'connecting' || mayRepeat) {
      this.#again();
      return;
    }
    if (this.#phase === 'waiting') {
      this.#fail(502, 'The service hung up.');
      return;
    }
    if (this.#answer?.framing.kind === 'close') {
      this.#finish(false);
      return;
    }
    this.#cut();
  }

  #again(): void {
    const instance = this.#instance;
    if (instance !== undefined) {
      this.#parts.book.end(instance.id);
      // One that hung up on an old connection is asked again; one that is not there is not.
      if (!this.#isReused) this.#tried.add(instance.id);
    }
    this.#instance = undefined;
    this.#upstream = undefined;
    this.#phase = 'connecting';
    if (this.#tries >= TRIES_MAX) {
      this.#fail(502, 'The service cannot be reached.');
      return;
    }
    this.begin();
  }

  /** Whether client and router still agree about where the next request begins. */
  get #keepsClient(): boolean {
    const { head } = this.#parts;
    if (this.#early.length > 0) return false;
    return head.keepsAlive && this.#isRequestDone && this.#answer?.framing.kind !== 'close';
  }

  #finish(isClean: boolean): void {
    const { pool } = this.#parts;
    const upstream = this.#upstream;
    const instance = this.#instance;
    const mayKeep = isClean && this.#isRequestDone && this.#answer?.keepsAlive === true;
    if (mayKeep && upstream !== undefined && instance !== undefined) {
      upstream.removeAllListeners('data').removeAllListeners('close').removeAllListeners('drain');
      upstream.resume();
      pool.keep(instance, upstream);
      this.#upstream = undefined;
    }
    this.#end({ status: this.#answer?.status ?? 502, keepsAlive: this.#keepsClient });
  }

  /** The answer broke off: so does the connection, or the client would take it for whole. */
  #cut(): void {
    this.#parts.client.destroy();
    this.#end({ status: this.#answer?.status ?? 502, keepsAlive: false });
  }

  #fail(status: number, text: string): void {
    if (this.#phase === 'ended') return;
    if (this.#answer !== undefined) {
      this.#cut();
      return;
    }
    const { head, client } = this.#parts;
    const keepsAlive = this.#keepsClient;
    client.write(ownAnswer({ status, text }, { method: head.method, keepsAlive }));
    this.#end({ status, keepsAlive });
  }

  #end({ status, keepsAlive }: { readonly status: number; readonly keepsAlive: boolean }): void {
    if (this.#phase === 'ended') return;
    this.#phase = 'ended';
    const instance = this.#instance;
    this.#upstream?.destroy();
    if (instance !== undefined) this.#parts.book.end(instance.id);
    const ended = { status, bytes: this.#bytes, keepsAlive };
    this.#parts.onEnd(instance === undefined ? ended : { ...ended, instance: instance.id });
  }
}
