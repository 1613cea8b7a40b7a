import type { HttpReply, HttpRequest } from './host.ts';

/** One open WebSocket that carries texts, the same over both engines. */
export interface HostSocket {
  readonly isOpen: boolean;
  /** Bytes that wait behind a blocked socket; what the system has taken does not count. */
  readonly waitingBytes: number;
  /**
   * Sends a text. While the socket is open it is always taken, also when the answer is `false`.
   * Who goes on for long after a `false` is dropped.
   *
   * @returns `false` when more than the route's bound waits now, and `drained` will be called; or
   * when the socket is closed.
   */
  send(text: string): boolean;
  /** Ends with a code and a short reason; the listener hears `closed` before this returns. */
  close(code: number, reason: string): void;
}

/** Hears one socket. */
export interface SocketListener {
  message(text: string): void;
  /** Most of what waited has gone: more is taken. */
  drained(): void;
  /** Called once, whoever ended it. */
  closed(): void;
}

/** What a handshake comes to: an answer of HTTP before the upgrade, or an open socket. */
export type SocketAnswer =
  | { readonly kind: 'reply'; readonly reply: HttpReply }
  | { readonly kind: 'open'; open(socket: HostSocket): SocketListener };

/** A WebSocket that is served at an address. */
export interface SocketRoute {
  readonly path: string;
  /** Bound of one message, in bytes. */
  readonly messageBytesMax: number;
  /** What may wait for a slow reader before `send` says so, in bytes. */
  readonly waitingBytesMax: number;
  /** Decides on a sound handshake; must change nothing, as the socket may still be refused. */
  accept(request: HttpRequest): SocketAnswer;
}

/** What bounds open sockets. */
export interface SocketBounds {
  readonly socketsMax: number;
  /** Sockets of one client address (of one network, with IPv6). */
  readonly socketsPerAddressMax: number;
  /** How often a ping asks whether the peer is there, in milliseconds; no answer ends it. */
  readonly pingMs: number;
}

/** The bounds that hold unless told otherwise. */
export const SOCKET_BOUNDS: SocketBounds = {
  socketsMax: 256,
  socketsPerAddressMax: 64,
  pingMs: 20_000,
};

/** Why an engine itself ends a socket: code and reason, as in RFC 6455. */
export const SOCKET_CLOSES = {
  ending: { code: 1001, reason: 'the server is ending' },
  binary: { code: 1003, reason: 'texts only' },
  tooLarge: { code: 1009, reason: 'message too large' },
  fault: { code: 1011, reason: 'internal error' },
} as const;

/** How long the last words to a peer may take to reach it, in milliseconds. */
export const SOCKET_LINGER_MS = 2_000;
