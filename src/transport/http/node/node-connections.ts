import type { Socket } from 'node:net';

/**
 * The open connections of a node:http server, up to a limit. At the limit, a client that sends a
 * request at once must still get through. So the connection that has been silent longest is closed,
 * or else the one that has waited longest for its next request.
 */
export class NodeConnections {
  connectionsMax: number;
  private readonly onRejected: (() => void) | undefined;
  private count = 0;
  /** Connections without a request so far, oldest first. */
  private readonly silent = new Set<Socket>();
  /** Connections between two requests, the longest wait first. */
  private readonly waiting = new Set<Socket>();

  constructor(connectionsMax: number, onRejected?: () => void) {
    this.connectionsMax = connectionsMax;
    this.onRejected = onRejected;
  }

  /** Counts a new connection. At the limit, closes one. */
  add(socket: Socket): void {
    this.count += 1;
    this.silent.add(socket);
    socket.once('close', () => {
      this.count -= 1;
      this.markBusy(socket);
    });
    if (this.count <= this.connectionsMax) return;
    const oldest = this.findDispensable(socket);
    this.markBusy(oldest);
    oldest.destroy();
    this.onRejected?.();
  }

  /** Exempts a connection with an open request. */
  markBusy(socket: Socket): void {
    this.silent.delete(socket);
    this.waiting.delete(socket);
  }

  /** Records that all requests of a connection are answered. */
  markWaiting(socket: Socket): void {
    if (!socket.destroyed) this.waiting.add(socket);
  }

  private findDispensable(newest: Socket): Socket {
    const [silent = newest] = this.silent;
    if (silent !== newest) return silent;
    const [waiting = newest] = this.waiting;
    return waiting;
  }
}
