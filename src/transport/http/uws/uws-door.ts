import type { us_listen_socket } from 'uWebSockets.js';
import { createServer } from 'node:net';
import type { Clock } from '../../../domain/common/clock.ts';
import type { Descriptors } from '../descriptors.ts';
import { whyRefused } from '../refused-address.ts';
import type { UwsApi, UwsApp } from './uws-native.ts';

/** How often the number of connections is looked at, in milliseconds. */
const LOOK_MS = 250;
/** Ports that are picked before it is given up: another process may take one meanwhile. */
const PICKS_MAX = 8;

/** Serves a few clients at the same address, while the engine does not listen. */
export interface StandIn {
  listen(host: string, port: number): Promise<number>;
  /** Takes no more connections, from now on; those that are open go on. */
  leave(): void;
}

/** What a door is made of. */
export interface DoorParts {
  readonly api: UwsApi;
  readonly app: UwsApp;
  readonly clock: Clock;
  /** Open connections at most; somewhat more come in between two looks. */
  readonly connectionsMax: number;
  /** Nothing is counted without them. */
  readonly descriptors?: Descriptors | undefined;
  readonly standIn: StandIn;
}

/**
 * Listens for an engine that neither counts its connections nor refuses one. When they are too many
 * or the descriptors of the process run out, the engine stops listening and a stand-in takes the
 * address; the engine listens again when enough connections have gone.
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

  /** Whether it has been opened, and not closed since. */
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
    // In this order: connections would take what is given back.
    this.stopListening();
    descriptors.release();
    descriptors.refused();
    this.callStandIn();
  }

  /** Where it cannot listen either, it is asked again at the next look. */
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
   * The engine leaves out SO_REUSEADDR where it picks the port itself. Nobody could then listen
   * there again while old connections stand: so the port is picked before.
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
    // Without the option a second server listens on the same port, and requests reach either.
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
