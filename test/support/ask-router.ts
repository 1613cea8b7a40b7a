import { type Agent, type IncomingMessage, request } from 'node:http';

/** A request to a router. */
export interface Asked {
  readonly path?: string;
  readonly method?: string;
  readonly body?: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
  readonly agent?: Agent;
  readonly host?: string;
}

/** Asks a router on this machine, and reads its answer to the end. */
export function askRouter(
  port: number,
  { path = '/', method = 'GET', agent, host = 'localhost', headers, body }: Asked,
): Promise<{ status: number; text: string; message: IncomingMessage }> {
  return new Promise((done, fail) => {
    const call = request({
      host: '127.0.0.1',
      port,
      path,
      method,
      agent,
      headers: { host, ...headers },
    });
    call.on('error', fail);
    call.on('response', (message) => {
      const pieces: Buffer[] = [];
      message.on('data', (piece: Buffer) => pieces.push(piece));
      message.on('error', fail);
      message.on('end', () => {
        done({ status: message.statusCode ?? 0, text: Buffer.concat(pieces).toString(), message });
      });
    });
    call.end(body);
  });
}
