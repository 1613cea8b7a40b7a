import { createServer, type Server, type Socket } from 'node:net';
import { AppError } from '../domain/error.ts';
import type { RequestRow } from '../domain/hosting/request-row.ts';
import type { RouteTable } from '../domain/hosting/routes.ts';
import { ClientConnection } from './client-connection.ts';
import { RouteBook } from './route-book.ts';
import { UpstreamPool } from './upstream-pool.ts';

/** Connections of clients at one time; more are closed at once. */
export const CONNECTIONS_MAX = 10_000;
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
  /** @returns False for a table that is not newer than the one in force. */
  replace(table: RouteTable): boolean;
  state(): RouterState;
  /** Takes no more requests, answers those that are at work, and ends. */
  close(graceMs: number): Promise<void>;
}

/**
 * Opens a router.
 *
 * @throws {AppError} `CONFIG_INVALID` when it cannot listen there.
 */
export async function openRouter(options: RouterOptions): Promise<Router> {
  const { now, onRequest } = options;
  const book = new RouteBook(options.table);
  const pool = new UpstreamPool(now);
  const clients = new Map<Socket, ClientConnection>();
  const parts = { book, pool, now, onRequest };
  const server = createServer({ noDelay: true }, (socket) => {
    if (clients.size >= CONNECTIONS_MAX) {
      socket.on('error', () => socket.destroy()).destroy();
      return;
    }
    clients.set(socket, new ClientConnection(socket, parts));
    socket.once('close', () => clients.delete(socket));
  });
  const port = await listen(server, options);
  const sweep = setInterval(() => {
    const at = now();
    for (const client of clients.values()) client.checkTime(at);
    const known = knownInstances(book.table);
    pool.sweep((instance) => known.has(instance));
  }, SWEEP_MS);
  return {
    port,
    replace: (table) => book.replace(table),
    state: () => ({
      version: book.version,
      connections: clients.size,
      underWay: book.underWay(),
    }),
    close: async (graceMs) => {
      const closed = new Promise<void>((done) => server.close(() => done()));
      for (const client of clients.values()) client.close();
      const timer = setTimeout(() => {
        for (const socket of clients.keys()) socket.destroy();
      }, graceMs);
      await closed;
      clearTimeout(timer);
      clearInterval(sweep);
      pool.close();
    },
  };
}

function knownInstances({ routes }: RouteTable): ReadonlySet<string> {
  return new Set(
    routes.flatMap(({ to }) => (to.kind === 'instances' ? to.instances.map(({ id }) => id) : [])),
  );
}

function listen(server: Server, { host, port }: RouterOptions): Promise<number> {
  return new Promise((done, fail) => {
    server.once('error', (cause) => {
      const data = { received: `${host}:${port}` };
      fail(new AppError('CONFIG_INVALID', { message: 'The router cannot listen.', data, cause }));
    });
    server.listen({ host, port, backlog: BACKLOG }, () => {
      const address = server.address();
      done(address === null || typeof address === 'string' ? port : address.port);
    });
  });
}
