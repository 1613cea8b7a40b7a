import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';

/** Whether this machine has the loopback address of IPv6: some containers have not. */
export const HAS_IPV6 = Object.values(networkInterfaces())
  .flat()
  .some((found) => found?.address === '::1');

/** A server on a free loopback port that remembers what reached it. */
export interface Loopback {
  readonly port: number;
  /** `127.0.0.1:port`. */
  readonly host: string;
  /** `http://127.0.0.1:port`. */
  readonly url: string;
  /** Requests (HTTP) or connections (TCP) that arrived. */
  readonly hits: string[];
  close(): Promise<void>;
}

/** Starts an HTTP server on 127.0.0.1. */
export async function httpLoopback(answer: RequestListener): Promise<Loopback> {
  const hits: string[] = [];
  const server = createServer((request, response) => {
    hits.push(`${request.method} ${request.url}`);
    answer(request, response);
  });
  await listen(server);
  return handle(server, hits, () => server.closeAllConnections());
}

/** Starts a plain TCP server on 127.0.0.1, for answers that no HTTP library would give. */
export async function tcpLoopback(
  onData: (socket: Socket, text: string) => void,
): Promise<Loopback> {
  const hits: string[] = [];
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    hits.push('connection');
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    socket.on('data', (data) => onData(socket, data.toString('latin1')));
  });
  await listen(server);
  return handle(server, hits, () => {
    for (const socket of sockets) socket.destroy();
  });
}

function listen(server: Server | ReturnType<typeof createTcpServer>): Promise<void> {
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
}

function handle(
  server: Server | ReturnType<typeof createTcpServer>,
  hits: string[],
  endAll: () => void,
): Loopback {
  const { port } = server.address() as AddressInfo;
  return {
    port,
    host: `127.0.0.1:${port}`,
    url: `http://127.0.0.1:${port}`,
    hits,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        endAll();
      }),
  };
}
