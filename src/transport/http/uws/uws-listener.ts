import type { us_listen_socket } from 'uWebSockets.js';
import { createServer } from 'node:net';
import type { Clock } from '../../../domain/common/clock.ts';
import type { DescriptorBudget } from '../descriptor-budget.ts';
import { findListenError } from '../listen-error.ts';
import type { UwsApi, UwsApp } from './uws-native.ts';

/** Interval between checks of the connection count, in milliseconds. */
const CHECK_INTERVAL_MS = 250;
/** Attempts to pick a free port. Another process may take a picked port in the meantime. */
const PORT_ATTEMPTS_MAX = 8;

/** A fallback server for a few clients, at the same address while the engine does not listen. */
export interface FallbackServer {
  listen(host: string, port: number): Promise<number>;
  /** Stops accepting connections at once. Open ones continue. */
  stopListening(): void;
}

/** The dependencies of the listener. */
export interface UwsListenerDeps {
  readonly api: UwsApi;
  readonly app: UwsApp;
  readonly clock: Clock;
  /** Limit on open connections. Slightly more may arrive between two checks. */
  readonly connectionsMax: number;
  /** File descriptors. Without them, connections are not counted. */
  readonly descriptors?: DescriptorBudget | undefined;
  readonly fallback: FallbackServer;
}

/**
 * Listens for an engine that can neither count nor reject connections. At the connection or
 * descriptor limit, the engine stops listening and a fallback server takes over the address. The
 * engine listens again when enough connections have closed.
 */
export class UwsListener {
  private readonly parts: UwsListenerDeps;
  private address = { host: '', port: 0 };
  private socket: us_listen_socket | undefined;
  private cancel: () => void = () => undefined;
  private initialDescriptors = 0;
  private isClosed = false;
  private fallbackState: 'away' | 'starting' | 'listening' = 'away';

  constructor(parts: UwsListenerDeps) {
    this.parts = parts;
  }

  /** @throws {AppError} `PORT_IN_USE`, `CONFIG_INVALID` */
  async start(host: string, port: number): Promise<number> {
    const { api, descriptors } = this.parts;
    const socket = port === 0 ? await this.listenAnywhere(host) : this.listen(host, port);
    if (socket === undefined) throw await findListenError(host, port);
    this.address = { host, port: api.us_socket_local_port(socket) };
    if (descriptors !== undefined) this.watchDescriptors(descriptors);
    return this.address.port;
  }

  /** True after `start` and before `close`. */
  get isRunning(): boolean {
    return this.address.port > 0 && !this.isClosed;
  }

  close(): void {
    const { descriptors, fallback } = this.parts;
    this.isClosed = true;
    this.cancel();
    if (this.isListening) this.stopListening();
    else fallback.stopListening();
    descriptors?.release();
  }

  private watchDescriptors(descriptors: DescriptorBudget): void {
    this.initialDescriptors = descriptors.nextDescriptor() ?? 0;
    descriptors.reserve();
    this.scheduleCheck(descriptors);
  }

  private scheduleCheck(descriptors: DescriptorBudget): void {
    const { clock } = this.parts;
    this.cancel = clock.at(clock.now() + CHECK_INTERVAL_MS, () => {
      if (this.isClosed) return;
      const next = descriptors.nextDescriptor() ?? Number.POSITIVE_INFINITY;
      const most = Math.min(
        descriptors.lowWatermark,
        this.initialDescriptors + this.parts.connectionsMax,
      );
      if (this.isListening && next >= most) this.switchToFallback(descriptors);
      else if (!this.isListening && next < most) this.resumeListening(descriptors);
      else if (!this.isListening) this.startFallback();
      this.scheduleCheck(descriptors);
    });
  }

  private switchToFallback(descriptors: DescriptorBudget): void {
    // This order matters: new connections would use up the released descriptors.
    this.stopListening();
    descriptors.release();
    descriptors.onRejected();
    this.startFallback();
  }

  /** Starts the fallback server. If it cannot listen, the next check tries again. */
  private startFallback(): void {
    if (this.fallbackState !== 'away') return;
    this.fallbackState = 'starting';
    const { host, port } = this.address;
    this.parts.fallback.listen(host, port).then(
      () => {
        this.fallbackState = 'listening';
        if (this.isClosed) this.parts.fallback.stopListening();
      },
      () => {
        this.fallbackState = 'away';
      },
    );
  }

  private resumeListening(descriptors: DescriptorBudget): void {
    if (this.fallbackState === 'starting' || !descriptors.reserve()) return;
    const { host, port } = this.address;
    this.parts.fallback.stopListening();
    this.fallbackState = 'away';
    if (this.listen(host, port) === undefined) descriptors.release();
  }

  /**
   * Picks the port before it listens. The engine omits SO_REUSEADDR when it picks a port itself,
   * and then nobody could listen there again while old connections remain.
   */
  private async listenAnywhere(host: string): Promise<us_listen_socket | undefined> {
    for (let tries = 0; tries < PORT_ATTEMPTS_MAX; tries += 1) {
      const port = await freePort(host);
      const socket = port === undefined ? undefined : this.listen(host, port);
      if (socket !== undefined) return socket;
    }
    return undefined;
  }

  private listen(host: string, port: number): us_listen_socket | undefined {
    const { api, app } = this.parts;
    // Without this option a second server may share the port, and requests reach either one.
    app.listen(host, port, api.LIBUS_LISTEN_EXCLUSIVE_PORT, (socket) => {
      this.socket = socket === false ? undefined : socket;
    });
    return this.socket;
  }

  private get isListening(): boolean {
    return this.socket !== undefined;
  }

  private stopListening(): void {
    if (this.socket !== undefined) this.parts.api.us_listen_socket_close(this.socket);
    this.socket = undefined;
  }
}

function freePort(host: string): Promise<number | undefined> {
  const server = createServer();
  return new Promise((done) => {
    server.once('error', () => done(undefined));
    server.listen({ host, port: 0, exclusive: true }, () => {
      const address = server.address();
      const port = typeof address === 'object' ? address?.port : undefined;
      server.close(() => done(port));
    });
  });
}
