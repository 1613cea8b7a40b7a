import type { us_listen_socket } from 'uWebSockets.js';
import { createServer } from 'node:net';
import type { Clock } from '../../../domain/common/clock.ts';
import type { Descriptors } from '../descriptors.ts';
import { whyRefused } from '../refused-address.ts';
import type { UwsApi, UwsApp } from './uws-native.ts';

/** Interval between checks of the connection count, in milliseconds. */
const LOOK_MS = 250;
/** Attempts to pick a free port. Another process may take a picked port in the meantime. */
const PICKS_MAX = 8;

/** A fallback server for a few clients, at the same address while the engine does not listen. */
export interface StandIn {
  listen(host: string, port: number): Promise<number>;
  /** Stops accepting connections at once. Open ones continue. */
  leave(): void;
}

/** The dependencies of the listener. */
export interface DoorParts {
  readonly api: UwsApi;
  readonly app: UwsApp;
  readonly clock: Clock;
  /** Limit on open connections. Slightly more may arrive between two checks. */
  readonly connectionsMax: number;
  /** File descriptors. Without them, connections are not counted. */
  readonly descriptors?: Descriptors | undefined;
  readonly standIn: StandIn;
}

/**
 * Listens for an engine that can neither count nor reject connections. At the connection or
 * descriptor limit, the engine stops listening and a fallback server takes over the address. The
 * engine listens again when enough connections have closed.
 */
export class UwsDoor {
  private readonly parts: DoorParts;
  private place = { host: '', port: 0 };
  private socket: us_listen_socket | undefined;
  private cancel: () => void = () => undefined;
  private atFirst = 0;
  private isClosed = false;
  private standInState: 'away' | 'starting' | 'listening' = 'away';

  constructor(parts: DoorParts) {
    this.parts = parts;
  }

  /** @throws {AppError} `PORT_IN_USE`, `CONFIG_INVALID` */
  async open(host: string, port: number): Promise<number> {
    const { api, descriptors } = this.parts;
    const socket = port === 0 ? await this.listenAnywhere(host) : this.listen(host, port);
    if (socket === undefined) throw await whyRefused(host, port);
    this.place = { host, port: api.us_socket_local_port(socket) };
    if (descriptors !== undefined) this.count(descriptors);
    return this.place.port;
  }

  /** True after `open` and before `close`. */
  get isInUse(): boolean {
    return this.place.port > 0 && !this.isClosed;
  }

  close(): void {
    const { descriptors, standIn } = this.parts;
    this.isClosed = true;
    this.cancel();
    if (this.isOpen) this.stopListening();
    else standIn.leave();
    descriptors?.release();
  }

  private count(descriptors: Descriptors): void {
    this.atFirst = descriptors.next() ?? 0;
    descriptors.hold();
    this.lookLater(descriptors);
  }

  private lookLater(descriptors: Descriptors): void {
    const { clock } = this.parts;
    this.cancel = clock.at(clock.now() + LOOK_MS, () => {
      if (this.isClosed) return;
      const next = descriptors.next() ?? Number.POSITIVE_INFINITY;
      const most = Math.min(descriptors.few, this.atFirst + this.parts.connectionsMax);
      if (this.isOpen && next >= most) this.stepAside(descriptors);
      else if (!this.isOpen && next < most) this.comeBack(descriptors);
      else if (!this.isOpen) this.callStandIn();
      this.lookLater(descriptors);
    });
  }

  private stepAside(descriptors: Descriptors): void {
    // This order matters: new connections would use up the released descriptors.
    this.stopListening();
    descriptors.release();
    descriptors.refused();
    this.callStandIn();
  }

  /** Starts the fallback server. If it cannot listen, the next check tries again. */
  private callStandIn(): void {
    if (this.standInState !== 'away') return;
    this.standInState = 'starting';
    const { host, port } = this.place;
    this.parts.standIn.listen(host, port).then(
      () => {
        this.standInState = 'listening';
        if (this.isClosed) this.parts.standIn.leave();
      },
      () => {
        this.standInState = 'away';
      },
    );
  }

  private comeBack(descriptors: Descriptors): void {
    if (this.standInState === 'starting' || !descriptors.hold()) return;
    const { host, port } = this.place;
    this.parts.standIn.leave();
    this.standInState = 'away';
    if (this.listen(host, port) === undefined) descriptors.release();
  }

  /**
   * Picks the port before it listens. The engine omits SO_REUSEADDR when it picks a port itself,
   * and then nobody could listen there again while old connections remain.
   */
  private async listenAnywhere(host: string): Promise<us_listen_socket | undefined> {
    for (let tries = 0; tries < PICKS_MAX; tries += 1) {
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

  private get isOpen(): boolean {
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
