import type { Socket } from 'node:net';
import type { RequestRow } from '../domain/hosting/request-row.ts';
import { type Answerer, type Ended, Exchange } from './exchange.ts';
import { answerFiles } from './files-answer.ts';
import { ownAnswer } from './forward.ts';
import { HEAD_BYTES_MAX, parseRequestHead, type RequestHead } from './head.ts';
import type { RouteBook } from './route-book.ts';
import type { UpstreamPool } from './upstream-pool.ts';

/** How long a head may take from its first byte, in milliseconds. */
export const HEAD_MS = 15_000;
/** How long a connection is kept without a request. */
export const QUIET_MS = 75_000;
/** Bytes of further requests that are taken before the one at work is answered. */
const AHEAD_BYTES_MAX = 65_536;
/** How long a client that is still sending is heard out after the last answer. */
const LINGER_MS = 2_000;
const HEAD_END = Buffer.from('\r\n\r\n');
const CR = 13;
const LF = 10;

/** What all connections share. */
export interface ConnectionParts {
  readonly book: RouteBook;
  readonly pool: UpstreamPool;
  readonly now: () => number;
  /** Told of every answered request of a service. */
  readonly onRequest: (row: RequestRow) => void;
}

/** One client: its requests are answered one after the other. */
export class ClientConnection {
  readonly #socket: Socket;
  readonly #parts: ConnectionParts;
  #pending: Buffer | undefined;
  #answerer: Answerer | undefined;
  /** When the head at work began, or the last answer ended. */
  #since: number;
  #isClosing = false;

  constructor(socket: Socket, parts: ConnectionParts) {
    this.#socket = socket;
    this.#parts = parts;
    this.#since = parts.now();
    socket.on('data', (piece: Buffer) => this.#take(piece));
    socket.on('close', () => this.#answerer?.abort());
    // What goes wrong with a connection ends it; `close` follows.
    socket.on('error', () => socket.destroy());
  }

  /** Ends what has taken too long. */
  checkTime(now: number): void {
    if (this.#answerer !== undefined) {
      this.#answerer.checkTime(now);
      return;
    }
    const quiet = now - this.#since;
    if (this.#isClosing && quiet > LINGER_MS) this.#socket.destroy();
    else if (this.#pending === undefined && quiet > QUIET_MS) this.#socket.destroy();
    else if (this.#pending !== undefined && quiet > HEAD_MS) {
      this.#refuse({ status: 408, why: 'the head did not come in time' });
    }
  }

  /** Takes no further request; the one at work is answered. */
  close(): void {
    if (this.#answerer === undefined) this.#socket.destroy();
    else this.#isClosing = true;
  }

  #take(piece: Buffer): void {
    if (this.#answerer !== undefined) {
      const surplus = this.#answerer.take(piece);
      if (surplus !== undefined) this.#hold(surplus);
      return;
    }
    if (this.#isClosing) return;
    if (this.#pending === undefined) this.#since = this.#parts.now();
    this.#hold(piece);
    this.#next();
  }

  #hold(piece: Buffer): void {
    this.#pending = this.#pending === undefined ? piece : Buffer.concat([this.#pending, piece]);
    if (this.#answerer !== undefined && this.#pending.length > AHEAD_BYTES_MAX)
      this.#socket.pause();
  }

  /** Begins with the next request, if its head is whole. */
  #next(): void {
    while (this.#pending !== undefined && this.#answerer === undefined && !this.#isClosing) {
      const bytes = this.#pending;
      // An empty line before a request is passed over (RFC 9112, section 2.2).
      const start = bytes[0] === CR && bytes[1] === LF ? 2 : 0;
      const end = bytes.indexOf(HEAD_END, start);
      if (end > HEAD_BYTES_MAX || (end === -1 && bytes.length > HEAD_BYTES_MAX)) {
        this.#refuse({ status: 431, why: 'the head is too long' });
        return;
      }
      if (end === -1) return;
      const head = parseRequestHead(bytes.toString('latin1', start, end));
      if ('why' in head) {
        this.#refuse(head);
        return;
      }
      const rest = end + HEAD_END.length;
      this.#pending = undefined;
      this.#answer(head, rest < bytes.length ? bytes.subarray(rest) : undefined);
    }
  }

  #answer(head: RequestHead, rest: Buffer | undefined): void {
    const began = this.#parts.now();
    const route = this.#parts.book.find(head.host);
    const onEnd = (ended: Ended): void => {
      this.#answerer = undefined;
      if (route !== undefined) this.#tell(route.serviceId, { head, began, ended });
      this.#goOn(ended.keepsAlive);
    };
    if (route === undefined || route.to.kind === 'unavailable') {
      const own =
        route?.to.kind === 'unavailable'
          ? { status: 503, text: `The service is not available: ${route.to.why}.` }
          : { status: 404, text: 'No service has this name.' };
      const keepsAlive = head.keepsAlive && head.framing.kind === 'none';
      this.#socket.write(ownAnswer(own, { method: head.method, keepsAlive }));
      if (rest !== undefined) this.#hold(rest);
      onEnd({ status: own.status, bytes: 0, keepsAlive });
      return;
    }
    const client = this.#socket;
    if (route.to.kind === 'files') {
      const { root, instance } = route.to;
      this.#answerer = answerFiles({ client, head, root, instance, now: this.#parts.now, onEnd });
    } else {
      const { instances } = route.to;
      const caller = client.remoteAddress ?? '';
      const exchange = new Exchange({ ...this.#parts, client, head, instances, caller, onEnd });
      this.#answerer = exchange;
      exchange.begin();
    }
    if (rest !== undefined) this.#take(rest);
  }

  #tell(
    resource: string,
    told: { readonly head: RequestHead; readonly began: number; readonly ended: Ended },
  ): void {
    const { head, began, ended } = told;
    this.#parts.onRequest({
      ...{ at: began, resource, host: head.host, method: head.method },
      path: head.target.split(/[?#]/, 1)[0] ?? '',
      ...{ status: ended.status, ms: this.#parts.now() - began, bytes: ended.bytes },
      ...(ended.instance !== undefined && { instance: ended.instance }),
    });
  }

  #goOn(keepsAlive: boolean): void {
    this.#since = this.#parts.now();
    if (!keepsAlive || this.#isClosing) {
      this.#end();
      return;
    }
    this.#socket.resume();
    // Not from within the answer that has just ended: a long pipeline would nest as deep.
    if (this.#pending !== undefined) setImmediate(() => this.#next());
  }

  #refuse({ status, why }: { readonly status: number; readonly why: string }): void {
    const text = `The request was refused: ${why}.`;
    this.#socket.write(ownAnswer({ status, text }, { method: 'GET', keepsAlive: false }));
    this.#end();
  }

  /** Says goodbye, and hears out what is still sent: a reset would take the answer away. */
  #end(): void {
    this.#isClosing = true;
    this.#pending = undefined;
    this.#since = this.#parts.now();
    this.#socket.resume();
    this.#socket.end();
  }
}
