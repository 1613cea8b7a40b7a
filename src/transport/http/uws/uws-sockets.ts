import type {
  HttpResponse,
  TemplatedApp,
  HttpRequest as UwsRequest,
  us_socket_context_t,
  WebSocket,
} from 'uWebSockets.js';
import { networkOf } from '../address.ts';
import { BoundedSocket, type RawSocket } from '../bounded-socket.ts';
import { headerOf } from '../headers.ts';
import type { HttpRequest } from '../host.ts';
import type { SocketAnswer, SocketRoute } from '../socket.ts';
import type { SocketPool } from '../socket-pool.ts';

/**
 * The engine drops a peer that does not accept its close frame after this time, in seconds. Live
 * peers are pinged more often.
 */
const IDLE_S = 120;
/** The engine drops larger messages silently. Up to this size the peer receives the reason. */
const MESSAGE_BYTES_DROPPED = 1_048_576;

/** User data that the engine stores with a socket. */
interface SocketData {
  readonly socket: UwsSocket;
}

/** Serves the sockets of a pool on uWebSockets.js. */
export class UwsSockets {
  private readonly pool: SocketPool;

  constructor(pool: SocketPool) {
    this.pool = pool;
  }

  /**
   * Adds the routes to an app.
   *
   * @param take - Decides on a handshake before it returns.
   */
  serve(app: TemplatedApp, take: (response: HttpResponse, upgrade: UwsUpgrade) => void): void {
    for (const route of this.pool.routes.values()) {
      app.ws<SocketData>(route.path, {
        maxPayloadLength: Math.max(MESSAGE_BYTES_DROPPED, route.messageBytesMax),
        // `BoundedSocket` enforces the limit: an accepted text is never dropped.
        maxBackpressure: 0,
        idleTimeout: IDLE_S,
        sendPingsAutomatically: false,
        upgrade: (response, head, context) => take(response, { head, context, route }),
        open: (raw) => raw.getUserData().socket.handleOpen(raw, this.pool),
        message: (raw, data, isBinary) => {
          raw.getUserData().socket.bounded.handleMessage(new Uint8Array(data), isBinary);
        },
        pong: (raw) => {
          raw.getUserData().socket.bounded.isAlive = true;
        },
        drain: (raw) => raw.getUserData().socket.bounded.handleDrain(),
        close: (raw) => raw.getUserData().socket.handleClose(this.pool),
      });
    }
  }

  /** Upgrades an accepted handshake to a socket. Call it before the handler returns. */
  upgrade(response: HttpResponse, request: HttpRequest, asked: AdmittedUpgrade): void {
    const socket = new UwsSocket(asked.route, request, asked.answer);
    const key = headerOf(request, 'sec-websocket-key') ?? '';
    response.upgrade<SocketData>({ socket }, key, '', '', asked.context);
  }
}

/** The handshake data from the engine. */
export interface UwsUpgrade {
  readonly head: UwsRequest;
  readonly context: us_socket_context_t;
  readonly route: SocketRoute;
}

/** An accepted handshake. */
export interface AdmittedUpgrade {
  readonly route: SocketRoute;
  readonly context: us_socket_context_t;
  readonly answer: Extract<SocketAnswer, { kind: 'open' }>;
}

class UwsSocket implements RawSocket {
  readonly bounded: BoundedSocket;
  private readonly answer: AdmittedUpgrade['answer'];
  private raw: WebSocket<SocketData> | undefined;

  constructor(route: SocketRoute, request: HttpRequest, answer: AdmittedUpgrade['answer']) {
    this.bounded = new BoundedSocket(this, route, networkOf(request.remoteAddress));
    this.answer = answer;
  }

  handleOpen(raw: WebSocket<SocketData>, pool: SocketPool): void {
    this.raw = raw;
    pool.add(this.bounded);
    this.bounded.start(this.answer);
  }

  handleClose(pool: SocketPool): void {
    this.raw = undefined;
    pool.remove(this.bounded);
    this.bounded.handleClose();
  }

  bufferedBytes(): number {
    return this.raw?.getBufferedAmount() ?? 0;
  }

  write(text: string): void {
    this.raw?.send(text, false, false);
  }

  ping(): void {
    this.raw?.ping();
  }

  end(code: number, reason: string): void {
    this.raw?.end(code, reason);
  }

  drop(): void {
    this.raw?.close();
  }
}
