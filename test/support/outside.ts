import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request as it reached a server. */
export interface TakenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A real HTTP server on loopback that keeps what it is sent. */
export interface Outside {
  readonly host: string;
  readonly url: string;
  readonly taken: TakenRequest[];
  /** Status, body and headers of what is answered from now on. */
  answer(status: number, body?: string, headers?: Readonly<Record<string, string>>): void;
  close(): Promise<void>;
}

/** Starts the server; it answers 200 at first. */
export async function startOutside(): Promise<Outside> {
  const taken: TakenRequest[] = [];
  let reply = { status: 200, body: '', headers: {} as Readonly<Record<string, string>> };
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      taken.push({ method, path: url, headers, body: Buffer.concat(parts).toString('utf8') });
      response.writeHead(reply.status, reply.headers);
      response.end(reply.body);
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', () => done()));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    host,
    url: `http://${host}`,
    taken,
    answer: (status, body = '', headers = {}) => {
      reply = { status, body, headers };
    },
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}
