import type { Clock } from '../../domain/common/clock.ts';
import type { StreamLoad } from './bounded-stream.ts';
import type { Descriptors } from './descriptors.ts';
import type { SocketBounds, SocketRoute } from './socket.ts';

/** The HTTP engines. Both keep one contract. */
export type HttpEngine = 'uws' | 'node';

/** The head of a request, as both engines show it. */
export interface HttpRequest {
  /** Upper case. */
  readonly method: string;
  /** As sent, not decoded, without the query. */
  readonly path: string;
  /** As sent, without the question mark. */
  readonly query: string;
  /** The peer of the socket. */
  readonly peerAddress: string;
  /** The client: the peer, or what a listed proxy says. */
  readonly remoteAddress: string;
  /** Names (lower case) and values in turn, in the order sent, repeated ones included. */
  readonly headers: readonly string[];
}

/** A whole answer. `Content-Length` and connection headers are the engine's. */
export interface HttpReply {
  readonly status: number;
  /** Names and values in turn. */
  readonly headers?: readonly string[];
  /** The engine has read the bytes when `reply` returns; they may be reused. */
  readonly body?: string | Uint8Array;
  /** End the connection after this answer. */
  readonly isLast?: boolean;
}

/** Hears that the client has gone. */
export interface CloseListener {
  /** Called once, when the connection ends before the answer is complete. */
  connectionClosed(): void;
}

/** An open answer that grows: server-sent events. */
export interface HttpStream {
  readonly isOpen: boolean;
  /** Bytes that wait behind a blocked socket; what the socket has taken does not count. */
  readonly waitingBytes: number;
  /**
   * Sends text. A reader that lets more than the bound wait behind its blocked socket is dropped.
   *
   * @returns Whether the stream is still open.
   */
  write(text: string): boolean;
  end(): void;
  /** Has a listener called each time that a blocked socket has taken all. */
  listenDrain?(listener: () => void): void;
}

/** One request and the way to answer it. A second answer does nothing, nor does one to nobody. */
export interface HttpExchange {
  readonly request: HttpRequest;
  /** The whole body, within the route's bound. */
  readonly body: Buffer;
  /** Neither answered nor left by the client. */
  readonly isOpen: boolean;
  reply(reply: HttpReply): void;
  /** Sends the head at once and keeps the answer open. `undefined` when nobody listens any more. */
  stream(head: HttpReply): HttpStream | undefined;
  /** Replaces the listener. Its client may be gone already: look at `isOpen` first. */
  listenClose(listener: CloseListener): void;
}

/** What is served at an address. */
export interface HttpRoute {
  readonly methods: readonly string[];
  readonly path: string;
  /** Serve everything that begins with `path`. */
  readonly isPrefix?: boolean;
  /** Of a prefix: serve only what also ends so. */
  readonly suffix?: string;
  /** Bound of the body, in bytes; none is read when absent. */
  readonly bodyBytesMax?: number;
  /** The answer to a larger body, instead of a short text. */
  readonly tooLarge?: HttpReply;
  handle(exchange: HttpExchange): void | Promise<void>;
}

/** What an engine is made of. */
export interface HostOptions {
  readonly routes: readonly HttpRoute[];
  readonly clock: Clock;
  /** Looks at every head before anything else; an answer ends the matter. */
  readonly guard?: (request: HttpRequest) => HttpReply | undefined;
  /** Tells the client's address where the peer is a listed proxy. */
  readonly addressOf?: (peerAddress: string, headers: readonly string[]) => string;
  /** Headers that every answer to a request carries, names and values in turn. */
  readonly replyHeaders?: (request: HttpRequest) => readonly string[];
  /** Bound of what may wait for a slow reader, in bytes. */
  readonly streamWaitingBytesMax: number;
  readonly bounds?: Partial<ConnectionBounds>;
  /** What connections share with the rest of the process. */
  readonly descriptors?: Descriptors;
  /** Counts the answers that grow. */
  readonly load?: StreamLoad;
  /** WebSockets, each at an address of its own where no other route is. */
  readonly sockets?: readonly SocketRoute[];
  readonly socketBounds?: Partial<SocketBounds>;
}

/** What bounds connections. Times in milliseconds. */
export interface ConnectionBounds {
  /** Open connections; more are closed at once. With uWebSockets.js more come in for a moment. */
  readonly connectionsMax: number;
  /** How long a head may take to arrive. uWebSockets.js has its own, of 10 to 12 s. */
  readonly headMs: number;
  /** How long a whole request may take to arrive. */
  readonly requestMs: number;
  /** How often the times are looked at. */
  readonly lookMs: number;
}

/** An HTTP engine. */
export interface HttpHost {
  readonly engine: HttpEngine;
  /**
   * Begins to serve; resolves with the port. Port 0 picks a free one.
   *
   * @throws {AppError} `PORT_IN_USE`; `CONFIG_INVALID` when the address is none of this machine.
   */
  listen(host: string, port: number): Promise<number>;
  /**
   * Answers new requests with 503, tells open sockets that the server is ending, waits for open
   * answers and sockets up to `graceMs`, then ends what is left and takes no more connections.
   */
  close(graceMs: number): Promise<void>;
}

/** Longest head that is read, in bytes. */
export const HEADER_BYTES_MAX = 16_384;
/** Most header lines of a request. */
export const HEADER_COUNT_MAX = 96;
/** The bounds that hold unless told otherwise. */
export const CONNECTION_BOUNDS: ConnectionBounds = {
  connectionsMax: 25_000,
  headMs: 10_000,
  requestMs: 60_000,
  lookMs: 2_000,
};
/** How long an idle connection is kept, in milliseconds. */
export const IDLE_CONNECTION_MS = 10_000;
/** When a client is asked to come back that meets a server which is ending, in seconds. */
export const CLOSING_RETRY_S = 5;
/** Requests of one connection that may wait for the answers before them. More end it. */
export const PIPELINED_MAX = 16;
