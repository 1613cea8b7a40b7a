import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';

/** How a server sends far more than anybody reads. */
export type FloodWay = 'whole' | 'single bytes' | 'gzip' | 'slow drip';
export const FLOOD_WAYS: readonly FloodWay[] = ['whole', 'single bytes', 'gzip', 'slow drip'];

const BLOCK_BYTES = 65_536;
const DRIP_EVERY_MS = 20;

/** A server on loopback whose answers have no end. */
export interface FloodServer {
  readonly url: string;
  readonly port: number;
  /** How many were taken so far, ended ones included. */
  readonly connections: number;
  /** What was sent over all connections, and what waits in them. */
  readonly sentBytes: number;
  close(): Promise<void>;
}

/** What stands before the flood, and what it is made of. */
export interface Flood {
  readonly type?: string;
  /** Begins the body. */
  readonly begin?: string;
  /** One character that is repeated, or a text. */
  readonly fill?: string;
  readonly status?: number;
}

/** Answers each request over HTTP with a body that goes on until the reader ends it. */
export function startHttpFlood(way: FloodWay, flood: Flood = {}): Promise<FloodServer> {
  const { type = 'application/json', begin = '"', fill = 'a', status = 200 } = flood;
  const encoding = way === 'gzip' ? 'content-encoding: gzip\r\n' : '';
  const isChunked = way === 'single bytes';
  const transfer = isChunked ? 'transfer-encoding: chunked\r\n' : '';
  const head = `HTTP/1.1 ${status} x\r\ncontent-type: ${type}\r\n${encoding}${transfer}connection: close\r\n\r\n`;
  const block = Buffer.from(fill.repeat(Math.ceil(BLOCK_BYTES / fill.length)));
  const body =
    way === 'gzip'
      ? gzipSync(Buffer.concat([Buffer.from(begin), ...Array.from({ length: 1_024 }, () => block)]))
      : block;
  const piece = isChunked ? Buffer.from(chunked(fill, BLOCK_BYTES / 8)) : body;
  return startFlood((socket) => {
    socket.once('data', () => {
      socket.write(head);
      if (way !== 'gzip') socket.write(isChunked ? chunked(begin, begin.length) : begin);
      if (way === 'gzip') socket.end(piece);
      else if (way === 'slow drip') drip(socket, fill);
      else pour(socket, piece);
    });
  });
}

/** Serves a protocol of its own; `serve` gets each connection. */
export async function startFlood(serve: (socket: Socket) => void): Promise<FloodServer> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    serve(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    get connections() {
      return sockets.size;
    },
    get sentBytes() {
      return [...sockets].reduce((sum, { bytesWritten }) => sum + bytesWritten, 0);
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Writes the same piece for as long as somebody reads. */
export function pour(socket: Socket, piece: Buffer | string): void {
  const more = (): void => {
    while (!socket.destroyed && socket.write(piece));
  };
  socket.on('drain', more);
  more();
}

/** Writes one piece now and then. */
export function drip(socket: Socket, piece: string): void {
  const timer = setInterval(() => socket.write(piece), DRIP_EVERY_MS);
  socket.once('close', () => clearInterval(timer));
}

/** The text as chunks of one byte each. */
function chunked(text: string, bytes: number): string {
  return Array.from({ length: bytes }, (_, at) => `1\r\n${text[at % text.length]}\r\n`).join('');
}
