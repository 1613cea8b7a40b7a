import { createServer, type Server, type Socket } from 'node:net';
import { AppError } from '../domain/common/error.ts';
import type { RouteTable } from '../domain/hosting/routes.ts';
import type { RequestRow } from '../domain/hosting/telemetry/request-row.ts';
import { descriptorsMax } from '../system/descriptor-reserve.ts';
import { ClientConnection } from './client-connection.ts';
import { RouteBook } from './route-book.ts';
import { UpstreamPool } from './upstream-pool.ts';

/** Connections of clients at one time, where descriptors allow it; more are closed at once. */
export const CONNECTIONS_MAX = 10_000;
/** Descriptors that are left to files, orders and what else a router opens. */
const RESERVED_DESCRIPTORS = 64;
/** How often what takes too long is looked for, in milliseconds. */
const SWEEP_MS = 1_000;
const BACKLOG = 1_024;

/** What a router is made of. */
export interface RouterOptions {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  readonly table: RouteTable;
  readonly now: () => number;
  readonly onRequest: (row: RequestRow) => void;
  /** Listens already; then host and port are its own. */
  readonly server?: Server | undefined;
}

/** What a router says about itself. */
export interface RouterState {
  readonly version: number;
  readonly connections: number;
  /** Requests that are not finished, by instance; one that is not named has none. */
  readonly underWay: Readonly<Record<string, number>>;
}

/** Brings requests to services by the name that they ask for. */
export interface Router {
  readonly port: number;
  /** What listens, to be handed on. */
  readonly server: Server;
  /** @returns False for a table that is not newer than the one in force. */
  replace(table: RouteTable): boolean;
  state(): RouterState;
  /**
   * Takes no more connections. Those that stand end with their next answer, or when nothing comes;
   * those that are still there after `longestMs` are cut.
   */
  drain(longestMs: number): Promise<void>;
  /** Takes no more requests, answers those that are at work, and ends. */
  close(graceMs: number): Promise<void>;
}

/**
 * Opens a router.
 *
 * @throws {AppError} `PORT_IN_USE`; `CONFIG_INVALID` when it cannot listen there.
 */
export async function openRouter(options: RouterOptions): Promise<Router> {
  const { now, onRequest } = options;
  const book = new RouteBook(options.table);
  const pool = new UpstreamPool(now);
  const clients = new Map<Socket, ClientConnection>();
  const parts = { book, pool, now, onRequest };
  const server = options.server ?? createServer();
  const connectionsMax = connectionsWithin(descriptorsMax());
  // At once: a server that was handed over may have connections that wait.
  server.on('connection', (socket: Socket) => {
    if (clients.size >= connectionsMax) {
      socket.on('error', () => socket.destroy()).destroy();
      return;
    }
    socket.setNoDelay(true);
    clients.set(socket, new ClientConnection(socket, parts));
    socket.once('close', () => clients.delete(socket));
  });
  const port = options.server === undefined ? await listen(server, options) : portOf(server);
  const sweep = setInterval(() => {
    const at = now();
    for (const client of clients.values()) client.checkTime(at);
    const known = knownInstances(book.table);
    pool.sweep((instance) => known.has(instance));
  }, SWEEP_MS);
  const end = async (longestMs: number): Promise<void> => {
    const closed = new Promise<void>((done) => server.close(() => done()));
    const timer = setTimeout(() => {
      for (const socket of clients.keys()) socket.destroy();
    }, longestMs);
    await closed;
    clearTimeout(timer);
    clearInterval(sweep);
    pool.close();
  };
  let ending: Promise<void> | undefined;
  return {
    ...{ port, server },
    replace: (table) => book.replace(table),
    state: () => ({
      version: book.version,
      connections: clients.size,
      underWay: book.underWay(),
    }),
    drain: (longestMs) => {
      for (const client of clients.values()) client.finish();
      ending ??= end(longestMs);
      return ending;
    },
    close: async (graceMs) => {
      for (const client of clients.values()) client.close();
      const timer = setTimeout(() => {
        for (const socket of clients.keys()) socket.destroy();
      }, graceMs);
      ending ??= end(graceMs);
      await ending;
      clearTimeout(timer);
    },
  };
}

/** A client may need a second connection, to its instance. */
function connectionsWithin(descriptors = Number.POSITIVE_INFINITY): number {
  const pairs = Math.floor((descriptors - RESERVED_DESCRIPTORS) / 2);
  return Math.max(1, Math.min(CONNECTIONS_MAX, pairs));
}

function knownInstances({ routes }: RouteTable): ReadonlySet<string> {
  return new Set(
    routes.flatMap(({ to }) => (to.kind === 'instances' ? to.instances.map(({ id }) => id) : [])),
  );
}

function listen(server: Server, { host, port }: RouterOptions): Promise<number> {
  return new Promise((done, fail) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const isHeld = cause.code === 'EADDRINUSE';
      const why = cause.code ?? cause.message;
      const message = `The router cannot listen on ${host}:${port}: ${why}.`;
      const facts = { message, data: { host, port }, cause };
      fail(new AppError(isHeld ? 'PORT_IN_USE' : 'CONFIG_INVALID', facts));
    });
    const place = { host, port, backlog: BACKLOG, exclusive: true };
    server.listen(place, () => done(portOf(server)));
  });
}

function portOf(server: Server): number {
  const address = server.address();
  return address === null || typeof address === 'string' ? 0 : address.port;
}
