import { connect, type Socket } from 'node:net';
import type { RoutedInstance } from '../domain/hosting/routes.ts';

/** How long a connection without work is kept; below the 5 s of the shortest servers. */
export const IDLE_KEPT_MS = 4_000;
/** How long a connection may have been without work to carry a request that cannot be repeated. */
const FRESH_MS = 1_000;
/** Connections without work that are kept for one instance. */
const IDLE_MAX = 64;
/** How long a connection may take to stand. */
export const CONNECT_MS = 3_000;

interface Idle {
  readonly socket: Socket;
  readonly since: number;
}

/** Connections to instances, kept open between requests. */
export class UpstreamPool {
  readonly #idle = new Map<string, Idle[]>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** An open connection, if there is one that is young enough. */
  reuse(instance: RoutedInstance, isRepeatable: boolean): Socket | undefined {
    const kept = this.#idle.get(instance.id);
    const oldest = this.#now() - (isRepeatable ? IDLE_KEPT_MS : FRESH_MS);
    for (;;) {
      const last = kept?.pop();
      if (last === undefined) return undefined;
      last.socket.removeAllListeners('data').removeAllListeners('close');
      if (last.since >= oldest && last.socket.writable) return last.socket;
      last.socket.destroy();
    }
  }

  /** Opens a connection. It ends by itself when it does not stand in time. */
  open({ address, port }: RoutedInstance): Socket {
    const socket = connect({ host: address, port, noDelay: true });
    socket.setTimeout(CONNECT_MS, () => socket.destroy());
    socket.once('connect', () => socket.setTimeout(0));
    // `close` follows, and says the same.
    socket.on('error', () => socket.destroy());
    return socket;
  }

  /** Keeps a connection for the next request. What comes meanwhile ends it. */
  keep(instance: RoutedInstance, socket: Socket): void {
    const kept = this.#idle.get(instance.id) ?? [];
    if (kept.length >= IDLE_MAX || !socket.writable) {
      socket.destroy();
      return;
    }
    const forget = (): void => {
      const at = kept.findIndex((idle) => idle.socket === socket);
      if (at !== -1) kept.splice(at, 1);
      if (kept.length === 0) this.#idle.delete(instance.id);
    };
    socket.on('data', () => socket.destroy());
    socket.on('close', forget);
    kept.push({ socket, since: this.#now() });
    this.#idle.set(instance.id, kept);
  }

  /** Closes what was without work for too long, and all of instances that are gone. */
  sweep(isKnown: (instance: string) => boolean): void {
    const oldest = this.#now() - IDLE_KEPT_MS;
    for (const [instance, kept] of this.#idle) {
      const known = isKnown(instance);
      for (const { socket, since } of [...kept]) if (!known || since < oldest) socket.destroy();
    }
  }

  close(): void {
    for (const kept of this.#idle.values()) for (const { socket } of [...kept]) socket.destroy();
  }
}
