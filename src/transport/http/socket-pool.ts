import type { Clock } from '../../domain/common/clock.ts';
import { networkOf } from './address.ts';
import { plainReply, runChecks } from './admit.ts';
import type { BoundedSocket } from './bounded-socket.ts';
import { checkHead } from './check-head.ts';
import { checkHandshake } from './handshake.ts';
import type { HttpReply, HttpRequest } from './host.ts';
import { CLOSING_RETRY_S } from './host.ts';
import type { HostOptions } from './host-options.ts';
import {
  SOCKET_BOUNDS,
  SOCKET_CLOSES,
  type SocketAnswer,
  type SocketBounds,
  type SocketRoute,
} from './socket.ts';

/** Admits handshakes and tracks the open sockets of a host, for both engines. */
export class SocketPool {
  readonly routes: ReadonlyMap<string, SocketRoute>;
  private readonly options: HostOptions;
  private readonly clock: Clock;
  private readonly bounds: SocketBounds;
  private readonly openSockets = new Set<BoundedSocket>();
  private readonly perNetwork = new Map<string, number>();
  private cancel: (() => void) | undefined;

  constructor(options: HostOptions) {
    this.options = options;
    this.clock = options.clock;
    this.bounds = { ...SOCKET_BOUNDS, ...options.socketBounds };
    this.routes = new Map((options.sockets ?? []).map((route) => [route.path, route]));
  }

  /** The number of open sockets. */
  get size(): number {
    return this.openSockets.size;
  }

  /** Checks the head and the route. Rejects a handshake before the upgrade. */
  admit(route: SocketRoute, request: HttpRequest): SocketAnswer {
    const fault = checkHead(request);
    const reply =
      (fault === undefined ? undefined : plainReply(fault.status, fault.reason)) ??
      runChecks(this.options, request) ??
      checkHandshake(request);
    if (reply !== undefined) return rejection(reply);
    const answer = route.accept(request);
    if (answer.kind === 'reply') return rejection(answer.reply);
    return this.isFull(networkOf(request.remoteAddress)) ? rejection(POOL_FULL) : answer;
  }

  add(socket: BoundedSocket): void {
    this.openSockets.add(socket);
    this.perNetwork.set(socket.network, (this.perNetwork.get(socket.network) ?? 0) + 1);
    if (this.cancel === undefined) this.schedulePings();
  }

  remove(socket: BoundedSocket): void {
    if (!this.openSockets.delete(socket)) return;
    const left = (this.perNetwork.get(socket.network) ?? 1) - 1;
    if (left > 0) this.perNetwork.set(socket.network, left);
    else this.perNetwork.delete(socket.network);
    if (this.openSockets.size === 0) this.stopPings();
  }

  /** Tells every peer that the server is shutting down. */
  closeAll(): void {
    for (const socket of [...this.openSockets]) socket.closeAs(SOCKET_CLOSES.ending);
  }

  /** Drops all remaining sockets. */
  dropAll(): void {
    for (const socket of [...this.openSockets]) socket.drop();
    this.stopPings();
  }

  private isFull(network: string): boolean {
    const { socketsMax, socketsPerAddressMax } = this.bounds;
    const ofNetwork = this.perNetwork.get(network) ?? 0;
    return this.openSockets.size >= socketsMax || ofNetwork >= socketsPerAddressMax;
  }

  private schedulePings(): void {
    this.cancel = this.clock.at(this.clock.now() + this.bounds.pingMs, () => {
      this.cancel = undefined;
      for (const socket of [...this.openSockets]) socket.checkLiveness();
      if (this.openSockets.size > 0) this.schedulePings();
    });
  }

  private stopPings(): void {
    this.cancel?.();
    this.cancel = undefined;
  }
}

const POOL_FULL = unavailableReply('too many open sockets');

// The bytes after a rejected handshake are not HTTP, so the connection must close.
function rejection(reply: HttpReply): SocketAnswer {
  return { kind: 'reply', reply: { ...reply, isLast: true } };
}

function unavailableReply(text: string): HttpReply {
  const { headers = [], ...reply } = plainReply(503, text);
  return { ...reply, headers: [...headers, 'retry-after', String(CLOSING_RETRY_S)] };
}
