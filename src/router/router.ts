import { createServer, type Server, type Socket } from 'node:net';
import { AppError } from '../domain/common/error.ts';
import type { RouteTable } from '../domain/hosting/routes.ts';
import type { RequestRow } from '../domain/hosting/telemetry/request-row.ts';
import { readDescriptorLimit } from '../system/descriptor-reserve.ts';
import { ClientConnection } from './client-connection.ts';
import { RouteRegistry } from './route-registry.ts';
import { UpstreamPool } from './upstream-pool.ts';

/** Maximum client connections, if descriptors allow it; further ones are closed immediately. */
export const CONNECTIONS_MAX = 10_000;
/** Descriptors reserved for files, commands and other uses. */
const RESERVED_DESCRIPTORS = 64;
/** Interval of the timeout checks, in milliseconds. */
const SWEEP_MS = 1_000;
const BACKLOG = 1_024;

/** Options of a router. */
export interface RouterOptions {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  readonly table: RouteTable;
  readonly now: () => number;
  readonly onRequest: (row: RequestRow) => void;
  /** A server that already listens; host and port are then ignored. */
  readonly server?: Server | undefined;
}

/** Current state of a router. */
export interface RouterState {
  readonly version: number;
  readonly connections: number;
  /** Unfinished requests by instance; instances without any are omitted. */
  readonly underWay: Readonly<Record<string, number>>;
}

/** Forwards requests to services by host name. */
export interface Router {
  readonly port: number;
  /** The listening server, to be handed over. */
  readonly server: Server;
  /**
   * Activates a table.
   *
   * @returns `false` if the table is not newer than the active one.
   */
  replace(table: RouteTable): boolean;
  state(): RouterState;
  /**
   * Accepts no more connections. Existing ones end with their next response, or when they are idle;
   * the rest are cut after `longestMs`.
   */
  drain(longestMs: number): Promise<void>;
  /** Accepts no more requests, answers the pending ones, and closes. */
  close(graceMs: number): Promise<void>;
}

/**
 * Starts a router.
 *
 * @throws {AppError} `PORT_IN_USE`; `CONFIG_INVALID` if it cannot listen there.
 */
export async function startRouter(options: RouterOptions): Promise<Router> {
  const { now, onRequest } = options;
  const routes = new RouteRegistry(options.table);
  const pool = new UpstreamPool(now);
  const clients = new Map<Socket, ClientConnection>();
  const parts = { book: routes, pool, now, onRequest };
  const server = options.server ?? createServer();
  const connectionsMax = limitConnections(readDescriptorLimit());
  // Registered immediately, because a server that was handed over may have waiting connections.
  server.on('connection', (socket: Socket) => {
    if (clients.size >= connectionsMax) {
      socket.on('error', () => socket.destroy()).destroy();
      return;
    }
    socket.setNoDelay(true);
    clients.set(socket, new ClientConnection(socket, parts));
    socket.once('close', () => clients.delete(socket));
  });
  const port = options.server === undefined ? await listen(server, options) : getPort(server);
  const sweep = setInterval(() => {
    const at = now();
    for (const client of clients.values()) client.checkTime(at);
    const known = listInstances(routes.table);
    pool.sweep((instance) => known.has(instance));
  }, SWEEP_MS);
  const stop = async (longestMs: number): Promise<void> => {
    const closed = new Promise<void>((done) => server.close(() => done()));
    const timer = setTimeout(() => {
      for (const socket of clients.keys()) socket.destroy();
    }, longestMs);
    await closed;
    clearTimeout(timer);
    clearInterval(sweep);
    pool.close();
  };
  let stopping: Promise<void> | undefined;
  return {
    port,
    server,
    replace: (table) => routes.replace(table),
    state: () => ({
      version: routes.version,
      connections: clients.size,
      underWay: routes.underWay(),
    }),
    drain: (longestMs) => {
      for (const client of clients.values()) client.markLast();
      stopping ??= stop(longestMs);
      return stopping;
    },
    close: async (graceMs) => {
      for (const client of clients.values()) client.close();
      const timer = setTimeout(() => {
        for (const socket of clients.keys()) socket.destroy();
      }, graceMs);
      stopping ??= stop(graceMs);
      await stopping;
      clearTimeout(timer);
    },
  };
}

/** Reserves a second connection per client, to its instance. */
function limitConnections(descriptors = Number.POSITIVE_INFINITY): number {
  const pairs = Math.floor((descriptors - RESERVED_DESCRIPTORS) / 2);
  return Math.max(1, Math.min(CONNECTIONS_MAX, pairs));
}

function listInstances({ routes }: RouteTable): ReadonlySet<string> {
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
    const endpoint = { host, port, backlog: BACKLOG, exclusive: true };
    server.listen(endpoint, () => done(getPort(server)));
  });
}

function getPort(server: Server): number {
  const address = server.address();
  return address === null || typeof address === 'string' ? 0 : address.port;
}
