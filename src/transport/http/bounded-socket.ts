import type { HostSocket, SocketAnswer, SocketListener, SocketRoute } from './socket.ts';
import { SOCKET_CLOSES } from './socket.ts';

/** What an engine gives to send through. */
export interface RawSocket {
  bufferedBytes(): number;
  write(text: string): void;
  ping(): void;
  /** Says goodbye. `gone` follows, at once or soon. */
  end(code: number, reason: string): void;
  /** Ends without a word. `gone` follows. */
  drop(): void;
}

/** A sender that goes on above its bound is dropped at this many times the bound. */
const DROPPED_AT = 4;
/** Readers are fed again when this share of the bound is left. */
const DRAINED_AT = 0.5;

/** A socket with bounds, over the raw one of an engine. */
export class BoundedSocket implements HostSocket {
  isOpen = true;
  /** The peer has answered the last ping. */
  isHeard = true;
  /** What one client is counted by. */
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

  /** Hands the open socket to its listener. */
  start({ open }: Extract<SocketAnswer, { kind: 'open' }>): void {
    this.guarded(() => {
      const listener = open(this);
      if (this.isOpen) this.listener = listener;
      else listener.closed();
    });
  }

  send(text: string): boolean {
    if (!this.isOpen) return false;
    const { waitingBytesMax } = this.route;
    if (this.raw.bufferedBytes() > DROPPED_AT * waitingBytesMax) {
      this.drop();
      return false;
    }
    this.raw.write(text);
    if (!this.isOpen) return false;
    if (this.raw.bufferedBytes() > waitingBytesMax) this.isBlocked = true;
    // A write can take what waited along, and then no engine says that it has gone.
    else if (this.isBlocked) setImmediate(() => this.relieved());
    return !this.isBlocked;
  }

  close(code: number, reason: string): void {
    if (!this.isOpen) return;
    this.finish();
    this.raw.end(code, reason);
  }

  /** Ends without a word. */
  drop(): void {
    this.finish();
    this.raw.drop();
  }

  /** Asks whether the peer is there; one that did not answer the last time is dropped. */
  beat(): void {
    if (!this.isHeard) {
      this.drop();
      return;
    }
    this.isHeard = false;
    if (this.isOpen) this.raw.ping();
  }

  /** The engine has a whole message. */
  received(data: Uint8Array, isBinary: boolean): void {
    if (!this.isOpen) return;
    this.isHeard = true;
    if (isBinary) this.closeAs(SOCKET_CLOSES.binary);
    else if (data.byteLength > this.route.messageBytesMax) this.closeAs(SOCKET_CLOSES.tooLarge);
    else {
      const text = Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('utf8');
      this.guarded(() => this.listener?.message(text));
    }
  }

  /** The engine has sent something of what waits. */
  relieved(): void {
    if (!this.isOpen) return;
    if (!this.isBlocked || this.raw.bufferedBytes() > DRAINED_AT * this.route.waitingBytesMax) {
      return;
    }
    this.isBlocked = false;
    this.guarded(() => this.listener?.drained());
  }

  /** The engine says that the connection has ended. */
  gone(): void {
    this.finish();
  }

  /** Ends for one of the engine's own reasons. */
  closeAs({ code, reason }: { readonly code: number; readonly reason: string }): void {
    this.close(code, reason);
  }

  // A fault in a listener must not end the process, nor leave a socket that nobody serves.
  private guarded(run: () => void): void {
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
