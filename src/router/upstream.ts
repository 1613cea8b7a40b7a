import { connect, type Socket } from 'node:net';
import type { RoutedInstance } from '../domain/hosting/routes.ts';

/** Timeout for establishing a connection, in milliseconds. */
const CONNECT_MS = 3_000;
/** Read buffer shared by all connections; a piece to be kept must be copied. */
const READ_BUFFER = Buffer.allocUnsafeSlow(65_536);

/** Receives the events of a connection to an instance. */
export interface UpstreamUser {
  /** The connection is established. */
  onConnect(): void;
  /**
   * Data arrived.
   *
   * @param piece - Valid only during the call, because its memory is reused.
   */
  onData(piece: Buffer): void;
  /** The instance can receive data again. */
  onDrain(): void;
  /** The connection is closed. */
  onClose(): void;
}

/** A connection to an instance. It serves one user at a time; data without a user closes it. */
export class Upstream {
  readonly socket: Socket;
  readonly instance: RoutedInstance;
  /** When the connection became idle. */
  idleSince = 0;
  #user: UpstreamUser | undefined;
  #isOpen = true;

  /** Opens a connection, which closes itself after a timeout. */
  constructor(instance: RoutedInstance, user: UpstreamUser) {
    this.instance = instance;
    this.#user = user;
    const { address, port } = instance;
    const onread = { buffer: READ_BUFFER, callback: (length: number) => this.#onRead(length) };
    const socket = connect({ host: address, port, noDelay: true, onread });
    this.socket = socket;
    socket.setTimeout(CONNECT_MS, () => socket.destroy());
    socket.once('connect', () => {
      socket.setTimeout(0);
      this.#user?.onConnect();
    });
    socket.on('drain', () => this.#user?.onDrain());
    // The instance sends no more, so the connection cannot be reused.
    socket.on('end', () => {
      this.#isOpen = false;
    });
    // `close` follows and handles it.
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      this.#isOpen = false;
      this.#user?.onClose();
    });
  }

  /** Whether another user can use the connection. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Assigns the next user; without one, incoming data closes the connection. */
  assign(user: UpstreamUser | undefined): void {
    this.#user = user;
  }

  /** Closes the connection without notifying its user. */
  destroy(): void {
    this.#isOpen = false;
    this.#user = undefined;
    this.socket.destroy();
  }

  #onRead(length: number): boolean {
    if (this.#user === undefined) this.destroy();
    else this.#user.onData(READ_BUFFER.subarray(0, length));
    return true;
  }
}
