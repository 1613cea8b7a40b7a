import type { HttpReply, HttpRequest } from './host.ts';

/** One open WebSocket for text messages, with the same contract on both engines. */
export interface HostSocket {
  readonly isOpen: boolean;
  /** Bytes queued behind a blocked socket. Bytes that the system has accepted do not count. */
  readonly waitingBytes: number;
  /**
   * Sends a text. An open socket always accepts it, even when this returns `false`. A sender that
   * continues long after `false` is disconnected.
   *
   * @returns `false` when the socket is closed, or when more than the route's limit is queued. In
   * the second case `drained` follows.
   */
  send(text: string): boolean;
  /** Closes with a code and a short reason. The listener's `closed` runs before this returns. */
  close(code: number, reason: string): void;
}

/** Receives the events of one socket. */
export interface SocketListener {
  message(text: string): void;
  /** Most of the queue has been sent, so the socket accepts more. */
  drained(): void;
  /** Called once, whichever side closed the socket. */
  closed(): void;
}

/** The result of a handshake: an HTTP reply before the upgrade, or an open socket. */
export type SocketAnswer =
  | { readonly kind: 'reply'; readonly reply: HttpReply }
  | { readonly kind: 'open'; open(socket: HostSocket): SocketListener };

/** A WebSocket handler and its address. */
export interface SocketRoute {
  readonly path: string;
  /** Largest message, in bytes. */
  readonly messageBytesMax: number;
  /** Queue size for a slow reader at which `send` returns `false`, in bytes. */
  readonly waitingBytesMax: number;
  /**
   * Decides on a valid handshake. It must have no side effects, as the pool may still reject it.
   */
  accept(request: HttpRequest): SocketAnswer;
}

/** Limits on open sockets. */
export interface SocketBounds {
  readonly socketsMax: number;
  /** Sockets per client address (per /64 network with IPv6). */
  readonly socketsPerAddressMax: number;
  /** Interval of pings, in milliseconds. A socket without a pong is dropped. */
  readonly pingMs: number;
}

/** The default limits on sockets. */
export const SOCKET_BOUNDS: SocketBounds = {
  socketsMax: 256,
  socketsPerAddressMax: 64,
  pingMs: 20_000,
};

/** Reasons for which an engine itself closes a socket: code and reason, as in RFC 6455. */
export const SOCKET_CLOSES = {
  ending: { code: 1001, reason: 'the server is shutting down' },
  binary: { code: 1003, reason: 'text messages only' },
  tooLarge: { code: 1009, reason: 'message too large' },
  fault: { code: 1011, reason: 'internal error' },
} as const;

/** How long a close frame may take to reach the peer, in milliseconds. */
export const SOCKET_LINGER_MS = 2_000;
