import { randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import type { HostSocket } from '../../../src/transport/http/socket.ts';
import { sendRaw } from '../../support/raw-http.ts';
import { openSilent, openSocket, refusalOf } from '../../support/socket-client.ts';
import {
  MESSAGE_BYTES_MAX,
  type SocketWorld,
  startSockets,
  WAITING_BYTES_MAX,
} from './socket-world.ts';

/** The contract of sockets on an HTTP engine: every claim must hold for each of them. */
export const SOCKET_CONTRACT: {
  readonly name: string;
  readonly run: (world: SocketWorld) => Promise<void>;
}[] = [];

function claim(name: string, run: (world: SocketWorld) => Promise<void>): void {
  SOCKET_CONTRACT.push({ name, run });
}

claim('a socket is opened, greets, and answers texts in order', async ({ url }) => {
  const client = await openSocket(`${url}?a=1`);
  for (const text of ['1', 'ünï→', '']) client.raw.send(text);
  await client.text((text) => text === 'echo ');
  expect(client.texts).toEqual(['hello a=1 127.0.0.1', 'echo 1', 'echo ünï→', 'echo ']);
  client.raw.close();
  expect((await client.ended).code).toBe(1005);
});

claim('the listener hears once that its client has gone, however it went', async (world) => {
  for (const leave of ['close', 'terminate'] as const) {
    const client = await openSocket(world.url);
    const socket = world.opened.at(-1) as HostSocket;
    client.raw[leave]();
    await until(() => world.closed.includes(socket));
    await quiet(20);
    expect(world.closed.filter((one) => one === socket)).toHaveLength(1);
    expect(socket.isOpen).toBe(false);
    expect(socket.send('x')).toBe(false);
    expect(socket.waitingBytes).toBe(0);
    socket.close(4_000, 'a second end does nothing');
  }
});

claim('the server ends with its code and reason, and hears of it at once', async (world) => {
  const client = await openSocket(world.url);
  const socket = world.opened.at(-1) as HostSocket;
  client.raw.send('close');
  expect(await client.ended).toEqual({ code: 4_000, reason: 'as you wish' });
  expect(world.closed).toContain(socket);
});

claim('a listener that throws ends its socket with 1011 and no inside', async ({ url }) => {
  const client = await openSocket(url);
  client.raw.send('throw');
  expect(await client.ended).toEqual({ code: 1_011, reason: 'internal error' });
});

claim('bytes are refused with 1003', async ({ url }) => {
  const client = await openSocket(url);
  client.raw.send(randomBytes(8));
  expect((await client.ended).code).toBe(1_003);
});

claim('a message of the bound is taken, a larger one ends with 1009', async ({ url }) => {
  const client = await openSocket(url);
  client.raw.send('x'.repeat(MESSAGE_BYTES_MAX));
  await client.text((text) => text.length > MESSAGE_BYTES_MAX);
  client.raw.send('x'.repeat(MESSAGE_BYTES_MAX + 1));
  expect((await client.ended).code).toBe(1_009);
});

claim('a message of several megabytes ends the socket, not the server', async ({ url, base }) => {
  const client = await openSocket(url);
  client.raw.send('x'.repeat(5_000_000));
  expect([1_006, 1_009]).toContain((await client.ended).code);
  expect((await fetch(`${base}/echo`)).status).toBe(200);
});

claim('a message that is announced too large ends the socket before it comes', async (world) => {
  const { connection } = await openSilent(world.port, '/socket');
  const socket = world.opened.at(-1) as HostSocket;
  connection.resume();
  connection.write(Buffer.from([0x81, 0xff, 0, 0, 0, 0, 0, 0x50, 0, 0, 0, 0, 0, 0]));
  await until(() => !socket.isOpen);
  expect(socket.isOpen).toBe(false);
  connection.destroy();
});

claim('no compression and no protocol is agreed to', async ({ port }) => {
  const { connection, head } = await openSilent(port, '/socket', {
    'Sec-WebSocket-Extensions': 'permessage-deflate',
    'Sec-WebSocket-Protocol': 'one, two',
  });
  expect(head).toMatch(/^HTTP\/1\.1 101 /);
  expect(head.toLowerCase()).not.toMatch(/sec-websocket-(extensions|protocol)/);
  connection.destroy();
});

claim(
  'guard and route refuse before the upgrade, with the headers of every answer',
  async (world) => {
    expect(await refusalOf(`${world.url}?guarded`)).toEqual({ status: 403, body: 'no' });
    expect(await refusalOf(world.url, { 'x-unwanted': '1' })).toEqual({
      status: 401,
      body: 'who are you',
    });
    const count = world.opened.length;
    const { text, isClosed } = await sendRaw(world.port, [
      handshake({ 'X-Unwanted': '1' }),
      'GET /echo HTTP/1.1\r\nHost: a\r\n\r\n',
    ]);
    expect(text).toMatch(/x-every: answer/i);
    expect(text).not.toContain('got');
    expect(isClosed).toBe(true);
    expect(world.opened).toHaveLength(count);
  },
);

const KEY = 'dGhlIHNhbXBsZSBub25jZQ==';
const MALFORMED: readonly (readonly [
  string,
  number,
  Readonly<Record<string, string | undefined>>,
])[] = [
  ['no upgrade', 426, { Upgrade: undefined }],
  ['another protocol', 426, { Upgrade: 'h2c' }],
  ['no connection', 426, { Connection: 'keep-alive' }],
  ['no version', 426, { 'Sec-WebSocket-Version': undefined }],
  ['an old version', 426, { 'Sec-WebSocket-Version': '8' }],
  ['no key', 400, { 'Sec-WebSocket-Key': undefined }],
  ['a short key', 400, { 'Sec-WebSocket-Key': 'c2hvcnQ=' }],
  ['a key of the right length that is no base64', 400, { 'Sec-WebSocket-Key': '*'.repeat(24) }],
  ['a key that stands for 18 bytes', 400, { 'Sec-WebSocket-Key': 'A'.repeat(24) }],
  ['two keys', 400, { 'sec-websocket-key': KEY }],
  ['a body', 400, { 'Content-Length': '2' }],
];
for (const [name, status, headers] of MALFORMED) {
  claim(`a handshake with ${name} is answered ${status}`, async ({ port }) => {
    const { statuses, isClosed } = await sendRaw(port, [handshake(headers)]);
    expect(statuses).toEqual([status]);
    expect(isClosed).toBe(true);
  });
}

claim('other methods at the address of a socket are refused', async ({ base }) => {
  const response = await fetch(`${base}/socket`, { method: 'POST', body: 'x' });
  expect(response.status).toBe(405);
  expect(response.headers.get('allow')).toBe('GET');
});

claim('a request elsewhere that offers an upgrade is served with its body', async ({ port }) => {
  for (const offer of ['h2c', 'websocket']) {
    const { text } = await sendRaw(port, [
      `POST /echo HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: ${offer}\r\n` +
        'Content-Length: 4\r\n\r\nbody',
      'GET /echo HTTP/1.1\r\nHost: a\r\n\r\n',
    ]);
    expect(text).toContain('got body');
    expect(text.match(/ 200 OK/g)).toHaveLength(2);
    const asked = handshake({ Upgrade: offer }).replace('/socket', '/echo');
    expect((await sendRaw(port, [asked, asked])).statuses).toEqual([200, 200]);
  }
});

const BROKEN: readonly (readonly [string, Buffer])[] = [
  ['a reserved bit', Buffer.from([0xc1, 0x80, 0, 0, 0, 0])],
  ['an unknown kind of frame', Buffer.from([0x83, 0x80, 0, 0, 0, 0])],
  ['a fragmented ping', Buffer.from([0x09, 0x80, 0, 0, 0, 0])],
  ['text that is no UTF-8', Buffer.from([0x81, 0x82, 0, 0, 0, 0, 0xc3, 0x28])],
  [
    'a length that no memory holds',
    Buffer.from([0x81, 0xff, 0x7f, ...Array(7).fill(0xff), 0, 0, 0, 0]),
  ],
];
for (const [name, bytes] of BROKEN) {
  claim(`${name} ends the socket, not the server`, async (world) => {
    const { connection } = await openSilent(world.port, '/socket');
    const socket = world.opened.at(-1) as HostSocket;
    connection.resume();
    connection.write(bytes);
    await until(() => world.closed.includes(socket));
    expect(socket.isOpen).toBe(false);
    expect((await fetch(`${world.base}/echo`)).status).toBe(200);
    connection.destroy();
  });
}

claim(
  'a frame without a mask ends the socket; uWebSockets.js reads it as masked',
  async (world) => {
    const { connection } = await openSilent(world.port, '/socket');
    const socket = world.opened.at(-1) as HostSocket;
    connection.resume();
    connection.write(Buffer.from([0x81, 0x04, ...Buffer.from('mask')]));
    connection.end();
    await until(() => world.closed.includes(socket));
    expect(socket.isOpen).toBe(false);
  },
);

claim('a slow reader is told of, fed again, and misses nothing', async (world) => {
  const client = await openSocket(world.url);
  const socket = world.opened.at(-1) as HostSocket;
  client.raw.pause();
  const size = 50_000;
  let sent = 0;
  while (socket.send(`${sent}:`.padEnd(size, 'x'))) {
    sent += 1;
    if (sent % 8 === 0) await quiet(1);
    if (sent > 2_000) throw new Error('never blocked');
  }
  expect(socket.waitingBytes).toBeGreaterThan(WAITING_BYTES_MAX);
  expect(world.drained).not.toContain(socket);
  client.raw.resume();
  await until(() => world.drained.includes(socket));
  expect(world.drained.filter((one) => one === socket)).toHaveLength(1);
  expect(socket.waitingBytes).toBeLessThanOrEqual(WAITING_BYTES_MAX / 2);
  socket.send('last');
  await client.text((text) => text === 'last');
  const numbers = client.texts.slice(1, -1).map((text) => Number(text.split(':')[0]));
  expect(numbers).toEqual(Array.from({ length: sent + 1 }, (_, at) => at));
  client.raw.terminate();
});

claim('a slow reader that writes meanwhile is fed again all the same', async (world) => {
  const client = await openSocket(world.url);
  const socket = world.opened.at(-1) as HostSocket;
  client.raw.pause();
  for (let sent = 0; socket.send('x'.repeat(50_000)); sent += 1) if (sent % 8 === 0) await quiet(1);
  client.raw.send('while behind');
  await quiet(50);
  // The answer may have taken what waited along: then the listener was told.
  expect(socket.send('y')).toBe(world.drained.includes(socket));
  client.raw.resume();
  await until(() => world.drained.includes(socket));
  expect(world.drained.filter((one) => one === socket)).toHaveLength(1);
  await client.text((text) => text === 'y');
  expect(client.texts).toContain('echo while behind');
  expect(socket.send('z')).toBe(true);
  client.raw.terminate();
});

claim('a sender that does not heed a blocked reader loses the socket at a bound', async (world) => {
  const { connection } = await openSilent(world.port, '/socket');
  connection.pause();
  const socket = world.opened.at(-1) as HostSocket;
  const text = 'x'.repeat(50_000);
  let most = 0;
  for (let sent = 0; sent < 2_000 && socket.isOpen; sent += 1) {
    socket.send(text);
    most = Math.max(most, socket.waitingBytes);
    if (sent % 16 === 0) await quiet(1);
  }
  expect(socket.isOpen).toBe(false);
  expect(world.closed).toContain(socket);
  expect(most).toBeGreaterThan(3 * WAITING_BYTES_MAX);
  expect(most).toBeLessThan(5 * WAITING_BYTES_MAX);
  connection.destroy();
});

claim('a text far above the bound reaches a reader that reads', async (world) => {
  const client = await openSocket(world.url);
  const socket = world.opened.at(-1) as HostSocket;
  socket.send('y'.repeat(20 * WAITING_BYTES_MAX));
  expect(await client.text((text) => text.startsWith('y'))).toHaveLength(20 * WAITING_BYTES_MAX);
  client.raw.terminate();
});

claim('a peer that does not answer pings is ended, one that does stays', async ({ engine }) => {
  const world = await startSockets(engine, { socketBounds: { pingMs: 60 } });
  const living = await openSocket(world.url);
  const { connection } = await openSilent(world.port, '/socket');
  connection.resume();
  const [first, second] = world.opened;
  await until(() => second?.isOpen === false);
  await quiet(200);
  expect(second?.isOpen).toBe(false);
  expect(first?.isOpen).toBe(true);
  living.raw.terminate();
  connection.destroy();
  await world.host.close(50);
});

claim('sockets are bounded by address and in total, and free their place', async ({ engine }) => {
  const world = await startSockets(engine, {
    socketBounds: { socketsMax: 3, socketsPerAddressMax: 2 },
    addressOf: (peer, headers) => headers[headers.indexOf('x-from') + 1] ?? peer,
  });
  const from = (address: string) => openSocket(world.url, { 'x-from': address });
  const first = await from('192.0.2.1');
  await from('192.0.2.1');
  await expect(from('192.0.2.1')).rejects.toMatchObject({ status: 503 });
  await from('192.0.2.2');
  await expect(from('192.0.2.3')).rejects.toMatchObject({ status: 503 });
  first.raw.close();
  await until(() => world.closed.length === 1);
  await quiet(20);
  await from('192.0.2.1');
  await world.host.close(50);
});

claim(
  'a server that ends says so with 1001, also to a peer that says nothing',
  async ({ engine }) => {
    const world = await startSockets(engine);
    const client = await openSocket(world.url);
    const { connection } = await openSilent(world.port, '/socket');
    const closing = world.host.close(100);
    expect(await client.ended).toEqual({ code: 1_001, reason: 'the server is shutting down' });
    await closing;
    expect(world.closed).toHaveLength(2);
    await expect(openSocket(world.url)).rejects.toThrow();
    connection.destroy();
  },
);

claim('a server that is ending opens no more sockets', async ({ engine }) => {
  const world = await startSockets(engine);
  const waiting = fetch(`${world.base}/wait`).catch(() => undefined);
  await until(() => world.waiting.length > 0);
  const closing = world.host.close(1_500);
  expect(await refusalOf(world.url)).toEqual({ status: 503, body: 'closing\n' });
  await closing;
  await waiting;
});

function handshake(changes: Readonly<Record<string, string | undefined>> = {}): string {
  const headers: Record<string, string | undefined> = {
    Host: 'a',
    Connection: 'Upgrade',
    Upgrade: 'websocket',
    'Sec-WebSocket-Version': '13',
    'Sec-WebSocket-Key': KEY,
    ...changes,
  };
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}: ${value}\r\n`],
  );
  return `GET /socket HTTP/1.1\r\n${lines.join('')}\r\n`;
}

async function until(claimed: () => boolean): Promise<void> {
  for (let tries = 0; tries < 600 && !claimed(); tries += 1) await quiet(5);
}

function quiet(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
