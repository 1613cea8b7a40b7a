/** The available HTTP engines. Both follow the same contract. */
export type HttpEngine = 'uws' | 'node';

/** The head of a request, in the same form from both engines. */
export interface HttpRequest {
  /** Upper case. */
  readonly method: string;
  /** As sent, without decoding and without the query. */
  readonly path: string;
  /** As sent, without the question mark. */
  readonly query: string;
  /** The peer address of the socket. */
  readonly peerAddress: string;
  /** The client address: the peer, or the address that a trusted proxy reports. */
  readonly remoteAddress: string;
  /** Alternating names (lower case) and values, in the order sent, repeated ones included. */
  readonly headers: readonly string[];
}

/** A complete reply. The engine sets `Content-Length` and the connection headers. */
export interface HttpReply {
  readonly status: number;
  /** Alternating names and values. */
  readonly headers?: readonly string[];
  /** The engine has read the bytes when `reply` returns, so the caller may reuse them. */
  readonly body?: string | Uint8Array;
  /** Close the connection after this reply. */
  readonly isLast?: boolean;
}

/** A listener for the end of a connection. */
export interface CloseListener {
  /** Called once, when the connection closes before the reply is complete. */
  connectionClosed(): void;
}

/** A streamed reply, such as server-sent events. */
export interface HttpStream {
  readonly isOpen: boolean;
  /** Bytes queued behind a blocked socket. Bytes that the socket has accepted do not count. */
  readonly waitingBytes: number;
  /**
   * Sends text. Drops a reader whose queue exceeds the bound.
   *
   * @returns Whether the stream is still open.
   */
  write(text: string): boolean;
  end(): void;
  /** Registers a listener that is called each time a blocked socket has sent everything. */
  listenDrain?(listener: () => void): void;
}

/**
 * One request and its reply. A second reply does nothing, nor does one after the client has left.
 */
export interface HttpExchange {
  readonly request: HttpRequest;
  /** The whole body, within the route's size limit. */
  readonly body: Buffer;
  /** True until the request is answered or the client leaves. */
  readonly isOpen: boolean;
  reply(reply: HttpReply): void;
  /**
   * Sends the head at once and keeps the reply open. Returns `undefined` if the client has left.
   */
  stream(head: HttpReply): HttpStream | undefined;
  /** Replaces the listener. The client may have left already, so check `isOpen` first. */
  listenClose(listener: CloseListener): void;
}

/** A handler and the address that it serves. */
export interface HttpRoute {
  readonly methods: readonly string[];
  readonly path: string;
  /** Serve every path that starts with `path`. */
  readonly isPrefix?: boolean;
  /** For a prefix: serve only paths that also end with this text. */
  readonly suffix?: string;
  /** Largest body, in bytes. When absent, no body is read. */
  readonly bodyBytesMax?: number;
  /** The reply to a larger body, instead of the default text. */
  readonly tooLarge?: HttpReply;
  handle(exchange: HttpExchange): void | Promise<void>;
}

/** An HTTP engine. */
export interface HttpHost {
  readonly engine: HttpEngine;
  /**
   * Starts to serve and resolves with the port. Port 0 picks a free one.
   *
   * @throws {AppError} `PORT_IN_USE`, or `CONFIG_INVALID` when this machine lacks the address.
   */
  listen(host: string, port: number): Promise<number>;
  /**
   * Answers new requests with 503 and tells open sockets that the server is shutting down. Waits up
   * to `graceMs` for open replies and sockets, then closes the rest and stops listening.
   */
  close(graceMs: number): Promise<void>;
}

/** Largest head that is read, in bytes. */
export const HEADER_BYTES_MAX = 16_384;
/** Largest number of header lines in a request. */
export const HEADER_COUNT_MAX = 96;
/** `Retry-After` of a server that is shutting down, in seconds. */
export const CLOSING_RETRY_S = 5;
/** Requests of one connection that may wait for earlier replies. More close the connection. */
export const PIPELINED_MAX = 16;
