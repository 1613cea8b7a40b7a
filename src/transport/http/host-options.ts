import type { Clock } from '../../domain/common/clock.ts';
import type { StreamLoad } from './bounded-stream.ts';
import type { DescriptorBudget } from './descriptor-budget.ts';
import type { HttpReply, HttpRequest, HttpRoute } from './host.ts';
import type { SocketBounds, SocketRoute } from './socket.ts';

/** Checks the head of a request. @returns The reply that ends it, or `undefined` to go on. */
export type RequestCheck = (request: HttpRequest) => HttpReply | undefined;

/** The settings of an engine. */
export interface HostOptions {
  readonly routes: readonly HttpRoute[];
  readonly clock: Clock;
  /** Run in order on every head, before its route. The first reply is sent. */
  readonly checks?: readonly RequestCheck[];
  /** Resolves the client address when the peer is a trusted proxy. */
  readonly addressOf?: (peerAddress: string, headers: readonly string[]) => string;
  /** Returns headers to add to every reply, as alternating names and values. */
  readonly replyHeaders?: (request: HttpRequest) => readonly string[];
  /** Largest queue for a slow reader, in bytes. */
  readonly streamWaitingBytesMax: number;
  readonly bounds?: Partial<ConnectionBounds>;
  /** File descriptors, which connections share with the rest of the process. */
  readonly descriptors?: DescriptorBudget;
  /** Counts the open streams. */
  readonly load?: StreamLoad;
  /** WebSockets. Each needs an address that no other route has. */
  readonly sockets?: readonly SocketRoute[];
  readonly socketBounds?: Partial<SocketBounds>;
}

/** Limits on connections. Times are in milliseconds. */
export interface ConnectionBounds {
  /** Open connections; further ones are closed at once. uWebSockets.js may exceed it briefly. */
  readonly connectionsMax: number;
  /** Time limit for a head to arrive. uWebSockets.js has its own, of 10 to 12 s. */
  readonly headMs: number;
  /** Time limit for a whole request to arrive. */
  readonly requestMs: number;
  /** How long a connection stays open between requests. uWebSockets.js closes after 8 to 12 s. */
  readonly idleMs: number;
  /** Interval between checks of the time limits. */
  readonly lookMs: number;
}

/** The default limits on connections. */
export const CONNECTION_BOUNDS: ConnectionBounds = {
  connectionsMax: 25_000,
  headMs: 10_000,
  requestMs: 60_000,
  idleMs: 120_000,
  lookMs: 2_000,
};
