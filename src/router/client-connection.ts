import type { Socket } from 'node:net';
import type { RequestRow } from '../domain/hosting/telemetry/request-row.ts';
import { Exchange } from './exchange.ts';
import { handleFileRequest } from './file-handler.ts';
import { formatOwnResponse } from './forward.ts';
import { HEAD_BYTES_MAX, parseRequestHead, type RequestHead } from './head.ts';
import type { ClientHandle, RequestHandler, RequestOutcome } from './request-handler.ts';
import type { RouteRegistry } from './route-registry.ts';
import type { UpstreamPool } from './upstream-pool.ts';

/** Maximum time for a head from its first byte, in milliseconds. */
export const HEAD_MS = 15_000;
/** How long a connection without a request is kept open, in milliseconds. */
export const IDLE_MS = 75_000;
/** Maximum bytes of further requests buffered before the current one is answered. */
const AHEAD_BYTES_MAX = 65_536;
/** How long input is still read after the last response, in milliseconds. */
const LINGER_MS = 2_000;
const HEAD_END = Buffer.from('\r\n\r\n');
const CR = 13;
const LF = 10;

/** Dependencies shared by all connections. */
export interface ConnectionParts {
  readonly book: RouteRegistry;
  readonly pool: UpstreamPool;
  readonly now: () => number;
  /** Called for every answered request of a service. */
  readonly onRequest: (row: RequestRow) => void;
}

/** A request being processed. */
interface ActiveRequest {
  readonly head: RequestHead;
  readonly serviceId: string;
  readonly began: number;
}

/** The connection of one client. Its requests are answered one at a time. */
export class ClientConnection implements ClientHandle {
  readonly socket: Socket;
  readonly #parts: ConnectionParts;
  #pending: Buffer | undefined;
  #handler: RequestHandler | undefined;
  #request: ActiveRequest | undefined;
  #address: string | undefined;
  /** When the current head started, or the last response ended. */
  #since: number;
  #isClosing = false;
  /** True if the next response is the last one. */
  #isLast = false;

  constructor(socket: Socket, parts: ConnectionParts) {
    this.socket = socket;
    this.#parts = parts;
    this.#since = parts.now();
    socket.on('data', (piece: Buffer) => this.#receive(piece));
    socket.on('drain', () => this.#handler?.resume());
    socket.on('close', () => this.#handler?.abort());
    // An error ends the connection; `close` follows.
    socket.on('error', () => socket.destroy());
  }

  get address(): string {
    this.#address ??= this.socket.remoteAddress ?? '';
    return this.#address;
  }

  get canContinue(): boolean {
    return !this.#isClosing && !this.#isLast;
  }

  endConnection(ended: RequestOutcome): void {
    const request = this.#request;
    this.#handler = undefined;
    this.#request = undefined;
    if (request !== undefined) this.#reportRequest(request, ended);
    this.#continue(ended.keepsAlive);
  }

  /** Closes the connection if it has timed out. */
  checkTime(now: number): void {
    if (this.#handler !== undefined) {
      this.#handler.checkTime(now);
      return;
    }
    const idleMs = now - this.#since;
    if (this.#isClosing && idleMs > LINGER_MS) this.socket.destroy();
    else if (this.#pending === undefined && idleMs > IDLE_MS) this.socket.destroy();
    else if (this.#pending !== undefined && idleMs > HEAD_MS) {
      this.#reject({ status: 408, why: 'the request head took too long' });
    }
  }

  /** Marks the next response as the last one of the connection. */
  markLast(): void {
    this.#isLast = true;
  }

  /** Accepts no further requests; the current one is still answered. */
  close(): void {
    if (this.#handler === undefined) this.socket.destroy();
    else this.#isClosing = true;
  }

  #receive(piece: Buffer): void {
    if (this.#handler !== undefined) {
      const surplus = this.#handler.consume(piece);
      if (surplus !== undefined) this.#buffer(surplus);
      return;
    }
    if (this.#isClosing) return;
    if (this.#pending === undefined) this.#since = this.#parts.now();
    this.#buffer(piece);
    this.#handleNext();
  }

  #buffer(piece: Buffer): void {
    this.#pending = this.#pending === undefined ? piece : Buffer.concat([this.#pending, piece]);
    if (this.#handler !== undefined && this.#pending.length > AHEAD_BYTES_MAX) this.socket.pause();
  }

  /** Starts the next request if its head is complete. */
  #handleNext(): void {
    while (this.#pending !== undefined && this.#handler === undefined && !this.#isClosing) {
      const bytes = this.#pending;
      // An empty line before a request is skipped (RFC 9112, section 2.2).
      const start = bytes[0] === CR && bytes[1] === LF ? 2 : 0;
      const end = bytes.indexOf(HEAD_END, start);
      if (end > HEAD_BYTES_MAX || (end === -1 && bytes.length > HEAD_BYTES_MAX)) {
        this.#reject({ status: 431, why: 'the request head is too long' });
        return;
      }
      if (end === -1) return;
      const head = parseRequestHead(bytes.toString('latin1', start, end));
      if ('why' in head) {
        this.#reject(head);
        return;
      }
      const rest = end + HEAD_END.length;
      this.#pending = undefined;
      this.#answer(head, rest < bytes.length ? bytes.subarray(rest) : undefined);
    }
  }

  #answer(head: RequestHead, rest: Buffer | undefined): void {
    const route = this.#parts.book.findRoute(head.host);
    if (route !== undefined) {
      this.#request = { head, serviceId: route.serviceId, began: this.#parts.now() };
    }
    if (route === undefined || route.to.kind === 'unavailable') {
      if (rest !== undefined) this.#buffer(rest);
      this.#respondUnavailable(head, route?.to.kind === 'unavailable' ? route.to.why : undefined);
      return;
    }
    if (route.to.kind === 'files') {
      const { root, instance } = route.to;
      this.#handler = handleFileRequest({
        client: this,
        head,
        root,
        instance,
        now: this.#parts.now,
      });
      if (rest !== undefined) this.#receive(rest);
      return;
    }
    const { instances } = route.to;
    const exchange = new Exchange(this.#parts, this, { head, instances });
    this.#handler = exchange;
    const surplus = exchange.handleResponse(rest);
    if (surplus !== undefined) this.#buffer(surplus);
  }

  /** Answers without an instance or a file; `why` describes the state of the service. */
  #respondUnavailable(head: RequestHead, why: string | undefined): void {
    const response =
      why === undefined
        ? { status: 404, text: 'No service has this name.' }
        : { status: 503, text: `The service is not available: ${why}.` };
    const keepsAlive = head.keepsAlive && head.framing.kind === 'none' && this.canContinue;
    this.socket.write(formatOwnResponse(response, { method: head.method, keepsAlive }));
    this.endConnection({ status: response.status, bytes: 0, keepsAlive });
  }

  #reportRequest(
    { head, serviceId, began }: ActiveRequest,
    { status, bytes, instance }: RequestOutcome,
  ): void {
    const ms = this.#parts.now() - began;
    const { host, method } = head;
    const path = getPath(head.target);
    const row = { at: began, resource: serviceId, host, method, path, status, ms, bytes };
    this.#parts.onRequest(instance === undefined ? row : { ...row, instance });
  }

  #continue(keepsAlive: boolean): void {
    this.#since = this.#parts.now();
    if (!keepsAlive || this.#isClosing) {
      this.#end();
      return;
    }
    this.socket.resume();
    // Deferred, because a long pipeline would otherwise recurse deeply.
    if (this.#pending !== undefined) setImmediate(() => this.#handleNext());
  }

  #reject({ status, why }: { readonly status: number; readonly why: string }): void {
    const text = `The request was rejected: ${why}.`;
    this.socket.write(formatOwnResponse({ status, text }, { method: 'GET', keepsAlive: false }));
    this.#end();
  }

  /**
   * Ends the connection but still reads pending input, because a reset could discard the response.
   */
  #end(): void {
    this.#isClosing = true;
    this.#pending = undefined;
    this.#since = this.#parts.now();
    this.socket.resume();
    this.socket.end();
  }
}

/** Returns the part of a target before the query. */
function getPath(target: string): string {
  const end = target.search(/[?#]/);
  return end === -1 ? target : target.slice(0, end);
}
