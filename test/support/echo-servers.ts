import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

/** A server of others that refuses, and repeats the secret that it was shown, as some do. */
export interface EchoServer {
  readonly port: number;
  /** What it was shown so far. */
  readonly seen: string[];
  close(): Promise<void>;
}

/** An HTTP service that answers 401 with the credentials of the request in its error. */
export async function echoHttp(): Promise<EchoServer> {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    const shown = credentialsOf(request);
    seen.push(`${shown} ${request.url}`);
    request.resume();
    const message = `Incorrect key provided: ${shown}. ${request.url}`;
    response.writeHead(401, { 'content-type': 'application/json', 'x-shown': shown });
    response.end(JSON.stringify({ error: { message, code: 'invalid_api_key', type: shown } }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    seen,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** A mail server that refuses every login and repeats it. */
export async function echoMail(): Promise<EchoServer> {
  const seen: string[] = [];
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth: ({ username, password }, _session, done) => {
      const shown = `${username}:${password}`;
      seen.push(shown);
      done(new Error(`bad credentials ${shown}`));
    },
  });
  server.on('error', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  return {
    port: (server.server.address() as AddressInfo).port,
    seen,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
      }),
  };
}

function credentialsOf({ headers }: IncomingMessage): string {
  return String(headers.authorization ?? headers['x-api-key'] ?? '');
}
