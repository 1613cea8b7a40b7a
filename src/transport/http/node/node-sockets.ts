import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Clock } from '../../../domain/common/clock.ts';
import { networkOf } from '../address.ts';
import { BoundedSocket, type RawSocket } from '../bounded-socket.ts';
import type { HttpRequest } from '../host.ts';
import { SOCKET_LINGER_MS, type SocketAnswer, type SocketRoute } from '../socket.ts';
import type { SocketPool } from '../socket-pool.ts';

/** A connection that requests an upgrade. */
export interface NodeUpgrade {
  readonly incoming: IncomingMessage;
  readonly connection: Duplex;
  /** The bytes that followed the handshake. */
  readonly head: Buffer;
}

/** An accepted handshake. */
export interface AdmittedSocket {
  readonly route: SocketRoute;
  readonly request: HttpRequest;
  readonly answer: Extract<SocketAnswer, { kind: 'open' }>;
}

/** Serves the sockets of a pool on node:http, through `ws`. */
export class NodeSockets {
  private readonly pool: SocketPool;
  private readonly clock: Clock;
  private readonly servers: ReadonlyMap<SocketRoute, WebSocketServer>;

  constructor(pool: SocketPool, clock: Clock) {
    this.pool = pool;
    this.clock = clock;
    this.servers = new Map(
      [...pool.routes.values()].map((route) => [route, createWebSocketServer(route)]),
    );
  }

  /** Upgrades an accepted handshake to a socket. */
  upgrade(
    { incoming, connection, head }: NodeUpgrade,
    { route, request, answer }: AdmittedSocket,
  ): void {
    this.servers.get(route)?.handleUpgrade(incoming, connection, head, (raw) => {
      const { pool, clock } = this;
      const socket = new NodeSocket(raw, clock);
      const bounded = new BoundedSocket(socket, route, networkOf(request.remoteAddress));
      socket.bounded = bounded;
      pool.add(bounded);
      raw.on('message', (data, isBinary) => bounded.handleMessage(toBytes(data), isBinary));
      raw.on('pong', () => {
        bounded.isAlive = true;
      });
      raw.on('error', () => undefined);
      raw.on('close', () => {
        socket.handleClose();
        pool.remove(bounded);
        bounded.handleClose();
      });
      bounded.start(answer);
    });
  }
}

function createWebSocketServer(route: SocketRoute): WebSocketServer {
  return new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: route.messageBytesMax,
    // No subprotocol is negotiated: uWebSockets.js picks none either.
    handleProtocols: () => false,
  });
}

class NodeSocket implements RawSocket {
  bounded: BoundedSocket | undefined;
  private readonly raw: WebSocket;
  private readonly clock: Clock;
  private cancel: () => void = () => undefined;
  /** One shared callback, so that a send allocates none. */
  private readonly onSent = (): void => this.bounded?.handleDrain();

  constructor(raw: WebSocket, clock: Clock) {
    this.raw = raw;
    this.clock = clock;
  }

  bufferedBytes(): number {
    return this.raw.bufferedAmount;
  }

  write(text: string): void {
    this.raw.send(text, this.onSent);
  }

  ping(): void {
    this.raw.ping();
  }

  end(code: number, reason: string): void {
    this.raw.close(code, reason);
    // A peer that does not answer the close frame must not hold the socket.
    this.cancel = this.clock.at(this.clock.now() + SOCKET_LINGER_MS, () => this.raw.terminate());
  }

  drop(): void {
    this.raw.terminate();
  }

  handleClose(): void {
    this.cancel();
  }
}

function toBytes(data: Buffer | ArrayBuffer | readonly Buffer[]): Uint8Array {
  if (data instanceof Uint8Array) return data;
  return data instanceof ArrayBuffer ? new Uint8Array(data) : Buffer.concat(data);
}
