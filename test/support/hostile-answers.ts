import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import type { Attempt } from '../adversary/search.ts';

/** One answer of a host that means harm: what goes over the wire, and how. */
export interface HostileAnswer {
  readonly head: string;
  readonly body: Buffer;
  /** Bytes of one write; the rest waits for the next turn of the event loop. */
  readonly pieceBytes: number;
  readonly end: 'close' | 'reset' | 'hang';
}

/** A host whose next answers are drawn by an attempt. */
export interface HostileHost {
  readonly port: number;
  readonly url: string;
  /** Says what is answered from now on. */
  answer(make: () => HostileAnswer): void;
  close(): Promise<void>;
}

/** Starts a host on loopback that speaks HTTP as badly as it is told to. */
export async function startHostileHost(): Promise<HostileHost> {
  let make: () => HostileAnswer = () => ({
    head: '',
    body: Buffer.of(),
    pieceBytes: 1,
    end: 'close',
  });
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).once('close', () => sockets.delete(socket));
    let asked = '';
    socket.on('data', (chunk: Buffer) => {
      asked += chunk.toString('latin1');
      if (!asked.includes('\r\n\r\n')) return;
      asked = '';
      // A reader that leaves in the middle is no fault of the host.
      send(socket, make()).catch(() => undefined);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    answer: (next) => {
      make = next;
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

const STATUSES = [
  200, 200, 200, 200, 200, 201, 204, 206, 301, 302, 304, 400, 404, 418, 429, 500, 503, 999,
];
const TYPES = [
  ...['application/json', 'application/json; charset=utf-16', 'text/html', 'text/plain'],
  ...['text/event-stream', 'application/rss+xml', 'application/octet-stream', '', 'x'.repeat(200)],
];

/** Draws an answer; larger attempts send more. `texts` are what it would honestly be about. */
export function hostileAnswer(attempt: Attempt, texts: readonly string[]): HostileAnswer {
  const { pick } = attempt;
  return wired(attempt, pick([pick(texts), hostileJson(attempt), hostileText(attempt)]));
}

/** Puts a text on the wire: odd status, headers, encoding, framing and end. */
export function wired(attempt: Attempt, text: string): HostileAnswer {
  const { pick, integer } = attempt;
  const broken = attempt.random() < 0.2 ? text.slice(0, integer(0, text.length)) : text;
  const { body, encoding } = encoded(attempt, Buffer.from(broken, 'utf8'));
  const status = pick(STATUSES);
  const lines = [
    `HTTP/1.1 ${status} ${pick(['OK', '', 'x'.repeat(300)])}`,
    `content-type: ${pick(TYPES)}`,
    ...(encoding === '' ? [] : [`content-encoding: ${encoding}`]),
    ...oddHeaders(attempt),
  ];
  const framing = pick(['length', 'chunked', 'close', 'lie'] as const);
  const sent = framing === 'chunked' ? chunks(attempt, body) : body;
  if (framing === 'length') lines.push(`content-length: ${body.length}`);
  if (framing === 'lie') lines.push(`content-length: ${integer(0, 2 * body.length + 10)}`);
  if (framing === 'chunked') lines.push('transfer-encoding: chunked');
  return {
    head: `${lines.join('\r\n')}\r\n\r\n`,
    body: sent,
    pieceBytes: pick([1 + integer(0, 64), 1_000, 65_536, 65_536]),
    end: pick(['close', 'close', 'close', 'reset', 'hang'] as const),
  };
}

/** JSON that is deep, wide, odd or not quite JSON. */
export function hostileJson({ pick, integer, size }: Attempt): string {
  const deep = integer(1, 200 * size);
  const number = pick([
    '1e999',
    '-0',
    '1e-999',
    '0.1'.padEnd(40 * size, '1'),
    '9'.repeat(20 * size),
  ]);
  const value = pick([number, 'null', '{}', '[]', '"__proto__"', JSON.stringify('\ud800\u0000')]);
  return pick([
    () => '['.repeat(deep) + value + ']'.repeat(deep),
    () => '{"a":'.repeat(deep) + value + '}'.repeat(deep),
    () => `[${Array.from({ length: deep }, () => value).join()}]`,
    () => `{${Array.from({ length: deep }, (_, n) => `"k${n}":${value}`).join()}}`,
    () => `{"__proto__":{"x":1},"constructor":${value},"toString":${value},"length":${number}}`,
    () => `"${'a'.repeat(100 * deep)}"`,
    () => value,
    () => '['.repeat(deep),
  ])();
}

/** Text that patterns may be slow on: one unit, again and again, with another end. */
export function hostileText({ pick, integer, size, hex }: Attempt): string {
  const unit = pick([
    'a',
    ' ',
    '\n',
    'a-',
    '<a href=',
    '</',
    '&#',
    '../',
    '\u202e',
    '<!--',
    hex(3),
  ]);
  return unit.repeat(integer(1, 600 * size)) + pick(['', '>', '"', '!', '\u0000']);
}

function encoded({ pick, random }: Attempt, plain: Buffer): { body: Buffer; encoding: string } {
  const way = pick(['', '', '', 'gzip', 'br', 'deflate', 'gzip, br', 'none of these', 'lie']);
  const packed =
    way === 'gzip' || way === 'gzip, br'
      ? gzipSync(plain)
      : way === 'br'
        ? brotliCompressSync(plain)
        : way === 'deflate'
          ? deflateSync(plain)
          : plain;
  const body = way === 'gzip, br' ? brotliCompressSync(packed) : packed;
  const isCut = way !== '' && random() < 0.2;
  return {
    body: isCut ? body.subarray(0, body.length >> 1) : body,
    encoding: way === 'lie' ? 'gzip' : way,
  };
}

function oddHeaders({ pick, integer, hex }: Attempt): readonly string[] {
  return pick([
    [],
    [],
    ['retry-after: 1e9'],
    ['retry-after: -1', 'date: never'],
    ['location: http://127.0.0.1:1/'],
    ['location: /again'],
    [`location: ${hex(40)}`],
    ['etag: "x"', 'last-modified: yesterday', 'age: -5'],
    Array.from({ length: integer(1, 100) }, (_, n) => `x-${n}: ${hex(20)}`),
    [`x: ${hex(12_000)}`],
  ]);
}

function chunks({ integer }: Attempt, body: Buffer): Buffer {
  const length = Math.max(integer(1, 4_096), body.length >> 10);
  const parts: Buffer[] = [];
  for (let at = 0; at < body.length; at += length) {
    const part = body.subarray(at, at + length);
    parts.push(Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n'));
  }
  return Buffer.concat([...parts, Buffer.from('0\r\n\r\n')]);
}

async function send(socket: Socket, { head, body, pieceBytes, end }: HostileAnswer): Promise<void> {
  socket.write(head);
  // A thousand pieces are enough of a drip; the rest comes at once.
  const step = Math.max(pieceBytes, body.length >> 10);
  for (let at = 0; at < body.length && !socket.destroyed; at += step) {
    if (!socket.write(body.subarray(at, at + step))) {
      await Promise.race([once(socket, 'drain'), once(socket, 'close')]);
    } else if (step < 65_536 && at % (step << 4) === 0) {
      await new Promise((done) => setImmediate(done));
    }
  }
  if (end === 'close') socket.end();
  else if (end === 'reset') socket.resetAndDestroy();
}
