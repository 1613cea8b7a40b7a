import type { Clock } from '../../domain/common/clock.ts';
import { networkOf } from './address.ts';
import { plain } from './admit.ts';
import type { BoundedSocket } from './bounded-socket.ts';
import { handshakeFault } from './handshake.ts';
import type { HostOptions, HttpReply, HttpRequest } from './host.ts';
import { CLOSING_RETRY_S } from './host.ts';
import {
  SOCKET_BOUNDS,
  SOCKET_CLOSES,
  type SocketAnswer,
  type SocketBounds,
  type SocketRoute,
} from './socket.ts';
import { vetHead } from './vet.ts';

/** Admits handshakes and tracks the open sockets of a host, for both engines. */
export class SocketPool {
  readonly routes: ReadonlyMap<string, SocketRoute>;
  private readonly options: HostOptions;
  private readonly clock: Clock;
  private readonly bounds: SocketBounds;
  private readonly open = new Set<BoundedSocket>();
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
    return this.open.size;
  }

  /** Checks the head, the guard and the route. Rejects a handshake before the upgrade. */
  admit(route: SocketRoute, request: HttpRequest): SocketAnswer {
    const fault = vetHead(request);
    const reply =
      (fault === undefined ? undefined : plain(fault.status, fault.reason)) ??
      this.options.guard?.(request) ??
      handshakeFault(request);
    if (reply !== undefined) return refused(reply);
    const answer = route.accept(request);
    if (answer.kind === 'reply') return refused(answer.reply);
    return this.isFull(networkOf(request.remoteAddress)) ? refused(FULL) : answer;
  }

  add(socket: BoundedSocket): void {
    this.open.add(socket);
    this.perNetwork.set(socket.network, (this.perNetwork.get(socket.network) ?? 0) + 1);
    if (this.cancel === undefined) this.arm();
  }

  remove(socket: BoundedSocket): void {
    if (!this.open.delete(socket)) return;
    const left = (this.perNetwork.get(socket.network) ?? 1) - 1;
    if (left > 0) this.perNetwork.set(socket.network, left);
    else this.perNetwork.delete(socket.network);
    if (this.open.size === 0) this.stop();
  }

  /** Tells every peer that the server is shutting down. */
  closeAll(): void {
    for (const socket of [...this.open]) socket.closeAs(SOCKET_CLOSES.ending);
  }

  /** Drops all remaining sockets. */
  dropAll(): void {
    for (const socket of [...this.open]) socket.drop();
    this.stop();
  }

  private isFull(network: string): boolean {
    const { socketsMax, socketsPerAddressMax } = this.bounds;
    const ofNetwork = this.perNetwork.get(network) ?? 0;
    return this.open.size >= socketsMax || ofNetwork >= socketsPerAddressMax;
  }

  private arm(): void {
    this.cancel = this.clock.at(this.clock.now() + this.bounds.pingMs, () => {
      this.cancel = undefined;
      for (const socket of [...this.open]) socket.beat();
      if (this.open.size > 0) this.arm();
    });
  }

  private stop(): void {
    this.cancel?.();
    this.cancel = undefined;
  }
}

const FULL = unavailable('too many open sockets');

// The bytes after a rejected handshake are not HTTP, so the connection must close.
function refused(reply: HttpReply): SocketAnswer {
  return { kind: 'reply', reply: { ...reply, isLast: true } };
}

function unavailable(text: string): HttpReply {
  const { headers = [], ...reply } = plain(503, text);
  return { ...reply, headers: [...headers, 'retry-after', String(CLOSING_RETRY_S)] };
}
