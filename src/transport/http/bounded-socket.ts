import type { HostSocket, SocketAnswer, SocketListener, SocketRoute } from './socket.ts';
import { SOCKET_CLOSES } from './socket.ts';

/** The raw socket that an engine provides. */
export interface RawSocket {
  bufferedBytes(): number;
  write(text: string): void;
  ping(): void;
  /** Sends a close frame. `handleClose` follows, at once or soon. */
  end(code: number, reason: string): void;
  /** Closes without a close frame. `handleClose` follows. */
  drop(): void;
}

/** A sender is disconnected at this multiple of the route's limit. */
const DROP_FACTOR = 4;
/** A blocked sender resumes when this share of the limit remains. */
const DRAIN_SHARE = 0.5;

/** A socket that enforces limits on an engine's raw socket. */
export class BoundedSocket implements HostSocket {
  isOpen = true;
  /** Whether the peer has answered the last ping. */
  isAlive = true;
  /** The network that the per-client limit counts. */
  readonly network: string;
  private readonly raw: RawSocket;
  private readonly route: SocketRoute;
  private listener: SocketListener | undefined;
  private isBlocked = false;

  constructor(raw: RawSocket, route: SocketRoute, network: string) {
    this.raw = raw;
    this.route = route;
    this.network = network;
  }

  get waitingBytes(): number {
    return this.isOpen ? this.raw.bufferedBytes() : 0;
  }

  /** Passes the open socket to its listener. */
  start({ open }: Extract<SocketAnswer, { kind: 'open' }>): void {
    this.runGuarded(() => {
      const listener = open(this);
      if (this.isOpen) this.listener = listener;
      else listener.closed();
    });
  }

  send(text: string): boolean {
    if (!this.isOpen) return false;
    const { waitingBytesMax } = this.route;
    if (this.raw.bufferedBytes() > DROP_FACTOR * waitingBytesMax) {
      this.drop();
      return false;
    }
    this.raw.write(text);
    if (!this.isOpen) return false;
    if (this.raw.bufferedBytes() > waitingBytesMax) this.isBlocked = true;
    // A write can also flush the queue, and then no engine reports a drain.
    else if (this.isBlocked) setImmediate(() => this.handleDrain());
    return !this.isBlocked;
  }

  close(code: number, reason: string): void {
    if (!this.isOpen) return;
    this.finish();
    this.raw.end(code, reason);
  }

  /** Closes without a close frame. */
  drop(): void {
    this.finish();
    this.raw.drop();
  }

  /** Pings the peer. Drops a peer that did not answer the previous ping. */
  checkLiveness(): void {
    if (!this.isAlive) {
      this.drop();
      return;
    }
    this.isAlive = false;
    if (this.isOpen) this.raw.ping();
  }

  /** Handles a complete message from the engine. */
  handleMessage(data: Uint8Array, isBinary: boolean): void {
    if (!this.isOpen) return;
    this.isAlive = true;
    if (isBinary) this.closeAs(SOCKET_CLOSES.binary);
    else if (data.byteLength > this.route.messageBytesMax) this.closeAs(SOCKET_CLOSES.tooLarge);
    else {
      const text = Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('utf8');
      this.runGuarded(() => this.listener?.message(text));
    }
  }

  /** Resumes a blocked sender. The engine calls this when it has sent part of the queue. */
  handleDrain(): void {
    if (!this.isOpen) return;
    if (!this.isBlocked || this.raw.bufferedBytes() > DRAIN_SHARE * this.route.waitingBytesMax) {
      return;
    }
    this.isBlocked = false;
    this.runGuarded(() => this.listener?.drained());
  }

  /** Releases the socket. The engine calls this when the connection has closed. */
  handleClose(): void {
    this.finish();
  }

  /** Closes the socket for one of the engine's own reasons. */
  closeAs({ code, reason }: { readonly code: number; readonly reason: string }): void {
    this.close(code, reason);
  }

  // A listener that throws must neither end the process nor leave its socket unserved.
  private runGuarded(run: () => void): void {
    try {
      run();
    } catch {
      this.closeAs(SOCKET_CLOSES.fault);
    }
  }

  private finish(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    const { listener } = this;
    this.listener = undefined;
    listener?.closed();
  }
}
