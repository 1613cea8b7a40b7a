import { connect, type Socket } from 'node:net';
import type { RoutedInstance } from '../domain/hosting/routes.ts';

/** How long a connection may take to stand. */
const CONNECT_MS = 3_000;
/**
 * What instances said last. All connections are read into it, one after the other: who wants to
 * keep a piece copies it.
 */
const PIECE = Buffer.allocUnsafeSlow(65_536);

/** Who speaks over a connection to an instance. */
export interface UpstreamUser {
  /** The connection stands. */
  stand(): void;
  /** @param piece - What the instance said; its memory is used again when this returns. */
  hear(piece: Buffer): void;
  /** The instance has room again. */
  drain(): void;
  /** The connection is gone. */
  lose(): void;
}

/** A connection to an instance. It serves one user after the other, and ends when it has none. */
export class Upstream {
  readonly socket: Socket;
  readonly instance: RoutedInstance;
  /** When it came to be without work. */
  idleSince = 0;
  #user: UpstreamUser | undefined;
  #isOpen = true;

  /** Opens a connection. It ends by itself when it does not stand in time. */
  constructor(instance: RoutedInstance, user: UpstreamUser) {
    this.instance = instance;
    this.#user = user;
    const { address, port } = instance;
    const onread = { buffer: PIECE, callback: (length: number) => this.#hear(length) };
    const socket = connect({ host: address, port, noDelay: true, onread });
    this.socket = socket;
    socket.setTimeout(CONNECT_MS, () => socket.destroy());
    socket.once('connect', () => {
      socket.setTimeout(0);
      this.#user?.stand();
    });
    socket.on('drain', () => this.#user?.drain());
    // The instance says no more; nobody can begin anything new here.
    socket.on('end', () => {
      this.#isOpen = false;
    });
    // `close` follows, and says the same.
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      this.#isOpen = false;
      this.#user?.lose();
    });
  }

  /** Whether another user can speak here. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Hands it to its next user; without one, what comes ends it. */
  use(user: UpstreamUser | undefined): void {
    this.#user = user;
  }

  /** Ends it; its user hears no more of it. */
  destroy(): void {
    this.#isOpen = false;
    this.#user = undefined;
    this.socket.destroy();
  }

  #hear(length: number): boolean {
    if (this.#user === undefined) this.destroy();
    else this.#user.hear(PIECE.subarray(0, length));
    return true;
  }
}
