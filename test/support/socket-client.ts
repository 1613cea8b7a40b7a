import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { WebSocket } from 'ws';

/** How a socket ended. */
export interface Ended {
  readonly code: number;
  readonly reason: string;
}

/** A WebSocket client that shows everything it was told. */
export interface SocketClient {
  readonly raw: WebSocket;
  readonly texts: readonly string[];
  readonly ended: Promise<Ended>;
  /** The next text that fits, also one that has come already. */
  text(fits?: (text: string) => boolean): Promise<string>;
}

/** What a failed handshake was answered. */
export interface Refusal {
  readonly status: number;
  readonly body: string;
}

const WAIT_MS = 60_000;

/** Opens a socket. A refused handshake rejects with a {@link Refusal}. */
export function openSocket(
  url: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<SocketClient> {
  const raw = new WebSocket(url, { headers: { ...headers }, perMessageDeflate: false });
  const texts: string[] = [];
  const waiting = new Set<() => void>();
  raw.on('message', (data: Buffer) => {
    texts.push(data.toString('utf8'));
    for (const look of [...waiting]) look();
  });
  const ended = new Promise<Ended>((done) => {
    raw.on('close', (code, reason) => done({ code, reason: reason.toString('utf8') }));
  });
  const text = (fits: (text: string) => boolean = () => true): Promise<string> =>
    new Promise((done, fail) => {
      const timer = setTimeout(() => {
        waiting.delete(look);
        fail(new Error(`no such text among ${texts.length}`));
      }, WAIT_MS);
      const look = (): void => {
        const found = texts.find(fits);
        if (found === undefined) return;
        clearTimeout(timer);
        waiting.delete(look);
        done(found);
      };
      waiting.add(look);
      look();
    });
  return new Promise((done, fail) => {
    raw.on('open', () => done({ raw, texts, ended, text }));
    raw.on('error', fail);
    raw.on('unexpected-response', (_request, response) => {
      let body = '';
      response.on('data', (chunk: Buffer) => {
        body += chunk.toString('utf8');
      });
      response.on('end', () => fail({ status: response.statusCode, body } as unknown as Error));
    });
  });
}

/** The answer to a handshake that is refused. */
export async function refusalOf(
  url: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Refusal> {
  const opened = await openSocket(url, headers).catch((refusal: unknown) => refusal);
  if (opened !== null && typeof opened === 'object' && 'raw' in opened) {
    (opened as SocketClient).raw.terminate();
    throw new Error('the socket was opened');
  }
  return opened as Refusal;
}

/** A connection that has shaken hands and says only what it is told: no pong, no goodbye. */
export function openSilent(
  port: number,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ readonly connection: Socket; readonly head: string }> {
  const lines = [
    `GET ${path} HTTP/1.1`,
    `Host: 127.0.0.1:${port}`,
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ];
  return new Promise((done) => {
    const connection = connect(port, '127.0.0.1', () => {
      connection.write(`${lines.join('\r\n')}\r\n\r\n`);
    });
    connection.on('error', () => undefined);
    connection.once('data', (chunk) => done({ connection, head: chunk.toString('latin1') }));
  });
}
