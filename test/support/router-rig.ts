import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Route } from '../../src/domain/hosting/routes.ts';
import type { RequestRow } from '../../src/domain/hosting/telemetry/request-row.ts';
import { type Router, startRouter } from '../../src/router/router.ts';

/** A server that a service of a test runs as. */
export interface Instance {
  readonly id: string;
  readonly port: number;
  readonly server: Server;
  stop(): Promise<void>;
}

/** A router with services of a test; `close` ends them all. */
export interface RouterRig {
  readonly router: Router;
  readonly rows: RequestRow[];
  readonly folder: string;
  instance(id: string, answer: RequestListener): Promise<Instance>;
  /** Puts routes in force. */
  route(...routes: readonly Route[]): void;
  close(): Promise<void>;
}

/** Opens a router on a free port of loopback. */
export async function openRouterRig(): Promise<RouterRig> {
  const rows: RequestRow[] = [];
  const folder = mkdtempSync(join(tmpdir(), 'stoa-router-'));
  const instances: Instance[] = [];
  let version = 0;
  const router = await startRouter({
    host: '127.0.0.1',
    port: 0,
    table: { version, routes: [] },
    now: () => Date.now(),
    onRequest: (row) => rows.push(row),
  });
  return {
    router,
    rows,
    folder,
    instance: async (id, answer) => {
      const server = createServer(answer);
      const port = await new Promise<number>((done) => {
        server.listen(0, '127.0.0.1', () => {
          const address = server.address();
          done(typeof address === 'object' && address !== null ? address.port : 0);
        });
      });
      const stop = (): Promise<void> =>
        new Promise((done) => {
          server.close(() => done());
          server.closeAllConnections();
        });
      const instance = { id, port, server, stop };
      instances.push(instance);
      return instance;
    },
    route: (...routes) => {
      version += 1;
      router.replace({ version, routes: [...routes] });
    },
    close: async () => {
      await router.close(100);
      for (const { stop } of instances) await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The route of a service that runs as these. */
export function routeTo(host: string, ...instances: readonly Instance[]): Route {
  return {
    serviceId: `srv-${host}`,
    hosts: [host],
    to: {
      kind: 'instances',
      instances: instances.map(({ id, port }) => ({ id, address: '127.0.0.1', port })),
    },
  };
}

/** A connection to the router that speaks bytes. */
export class RawClient {
  readonly socket: Socket;
  text = '';
  isClosed = false;

  constructor(port: number) {
    this.socket = connect({ port, host: '127.0.0.1' });
    this.socket.setEncoding('latin1');
    this.socket.on('data', (piece: string) => {
      this.text += piece;
    });
    this.socket.on('close', () => {
      this.isClosed = true;
    });
    this.socket.on('error', () => {});
  }

  send(text: string): void {
    this.socket.write(text, 'latin1');
  }
}
