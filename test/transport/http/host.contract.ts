import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { chooseHost } from '../../../src/transport/http/choose-host.ts';
import type { HttpEngine, HttpHost, HttpStream } from '../../../src/transport/http/host.ts';
import {
  ALLOWED,
  BROKEN_OFF,
  MALFORMED,
  type RawCase,
  REFUSED,
  SERVED,
} from '../../support/raw-corpus.ts';
import { sendRaw } from '../../support/raw-http.ts';
import { realClock } from '../../support/real-clock.ts';
import { routesOf, type Seen } from './contract-routes.ts';

const BOUND = 1_048_576;

/** What a claim about an engine is tried on. */
export interface HostWorld {
  readonly engine: HttpEngine;
  readonly host: HttpHost;
  readonly port: number;
  readonly base: string;
  readonly seen: Seen;
}

/** The contract of an HTTP engine: every claim must hold for each of them. */
export const CONTRACT: {
  readonly name: string;
  readonly run: (world: HostWorld) => void | Promise<void>;
}[] = [];

function claim(name: string, run: (world: HostWorld) => void | Promise<void>): void {
  CONTRACT.push({ name, run });
}

/** Starts an engine with the routes that the contract needs. */
export async function startWorld(engine: HttpEngine): Promise<HostWorld> {
  const seen: Seen = { streams: [], closed: 0, waiting: [] };
  const host = chooseHost(engine, '127.0.0.1', {
    clock: realClock,
    routes: routesOf(seen),
    streamWaitingBytesMax: BOUND,
    checks: [({ query }) => (query === 'guarded' ? { status: 403, body: 'no' } : undefined)],
    replyHeaders: () => ['x-every', 'answer'],
  });
  const port = await host.listen('127.0.0.1', 0);
  return { engine, host, port, base: `http://127.0.0.1:${port}`, seen };
}

claim('the engine is the one that was asked for', ({ engine, host }) => {
  expect(host.engine).toBe(engine);
});

claim('method, path, query, body and address reach the route', async ({ base }) => {
  const response = await fetch(`${base}/echo?a=1&b=%20`, { method: 'POST', body: 'hellö' });
  expect(await response.json()).toMatchObject({
    method: 'POST',
    path: '/echo',
    query: 'a=1&b=%20',
    body: 'hellö',
    remoteAddress: '127.0.0.1',
  });
});

claim('an address without a query has an empty one', async ({ base }) => {
  expect(await (await fetch(`${base}/echo`)).json()).toMatchObject({ query: '' });
});

claim('of a prefix only what ends as asked is served, with its own methods', async ({ base }) => {
  const ask = async (path: string, method = 'GET') => {
    const answer = await fetch(`${base}${path}`, { method });
    return [answer.status, answer.headers.get('allow'), await answer.text()];
  };
  expect(await ask('/ends/a/b')).toEqual([200, null, 'any end']);
  expect(await ask('/ends/a/mine', 'POST')).toEqual([200, null, 'its own end']);
  expect(await ask('/ends/a/mine')).toEqual([405, 'POST, OPTIONS', 'method not allowed\n']);
  expect(await ask('/ends/a/b', 'POST')).toEqual([405, 'GET, OPTIONS', 'method not allowed\n']);
  expect(await ask('/ends/mine')).toEqual([200, null, 'any end']);
});

claim('a larger body is refused in the words of its route, announced or not', async ({ base }) => {
  for (const body of ['x'.repeat(11), new Blob(['x'.repeat(11)]).stream()]) {
    const sent = { method: 'POST', body, duplex: 'half' } as RequestInit;
    const answer = await fetch(`${base}/ends/a/mine`, sent);
    expect([answer.status, await answer.text()]).toEqual([413, 'ten at most']);
  }
});

claim('every value of a repeated header is shown, in order', async ({ port }) => {
  const { text } = await sendRaw(port, [
    'GET /echo HTTP/1.1\r\nHost: a\r\nX-Many: 1\r\nX-MANY: 2\r\nx-many:3\r\n\r\n',
  ]);
  expect(text).toContain('"many":["1","2","3"]');
});

claim('an answer carries its own repeated headers and those of every answer', async ({ base }) => {
  const { headers } = await fetch(`${base}/echo`);
  expect(headers.get('x-own')).toBe('1, 2');
  expect(headers.get('x-every')).toBe('answer');
  expect((await fetch(`${base}/nowhere`)).headers.get('x-every')).toBe('answer');
});

claim('a prefix serves what begins with it, the longest one first', async ({ base }) => {
  expect(await (await fetch(`${base}/files/a/b`)).text()).toBe('/files/a/b');
  expect(await (await fetch(`${base}/files/own/b`)).text()).toBe('the longer prefix');
  expect((await fetch(`${base}/file`)).status).toBe(404);
});

claim('an unknown path is 404 and an unknown method 405 with what is allowed', async ({ base }) => {
  expect((await fetch(`${base}/nowhere`)).status).toBe(404);
  const response = await fetch(`${base}/secret`, { method: 'PUT', body: 'x' });
  expect(response.status).toBe(405);
  expect(response.headers.get('allow')).toBe('GET, OPTIONS');
});

claim(
  'OPTIONS tells what is allowed, HEAD tells the length and sends no body',
  async ({ base }) => {
    const options = await fetch(`${base}/echo`, { method: 'OPTIONS' });
    expect(options.status).toBe(204);
    expect(options.headers.get('allow')).toBe('GET, HEAD, POST, OPTIONS');
    const head = await fetch(`${base}/echo`, { method: 'HEAD' });
    expect(Number(head.headers.get('content-length'))).toBeGreaterThan(10);
    expect(await head.text()).toBe('');
  },
);

claim('a 204 has no body and keeps the connection in order', async ({ port }) => {
  const request = 'GET /empty HTTP/1.1\r\nHost: a\r\n\r\n';
  const { statuses } = await sendRaw(port, [request, request]);
  expect(statuses).toEqual([204, 204]);
});

claim('the guard answers before the route, with the body unread', async ({ base }) => {
  const response = await fetch(`${base}/echo?guarded`, { method: 'POST', body: 'x' });
  expect(response.status).toBe(403);
  expect(response.headers.get('connection')).toBe('close');
});

const HOST = 'Host: a\r\n';
const LENGTH_3 = 'Content-Length: 3\r\n\r\nabc';
/** Requests after whose answer the connection is closed, by the name of why. */
const LAST: Readonly<Record<string, readonly [status: number, ...parts: string[]]>> = {
  'the client closes': [200, `GET /echo HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`],
  'a body is announced': [413, `POST /echo HTTP/1.1\r\n${HOST}Content-Length: 1001\r\n\r\n`],
  'a body grows too large': [
    413,
    `POST /echo HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n`,
    `3e9\r\n${'x'.repeat(1_001)}\r\n`,
  ],
  'the guard refuses a body': [403, `POST /echo?guarded HTTP/1.1\r\n${HOST}${LENGTH_3}`],
  'nothing takes the body': [404, `POST /nowhere HTTP/1.1\r\n${HOST}${LENGTH_3}`],
  'a body has no length': [411, `POST /echo HTTP/1.1\r\n${HOST}\r\n`],
  'two hosts are named': [400, `GET /echo HTTP/1.1\r\n${HOST}${HOST}\r\n`],
};

claim('an answer that ends its connection says so', async ({ port }) => {
  const told = await Promise.all(
    Object.entries(LAST).map(async ([why, [, ...parts]]) => {
      const { text, statuses, isClosed } = await sendRaw(port, parts);
      const [head = ''] = text.split('\r\n\r\n');
      const says = [...head.matchAll(/^connection: close$/gim)].length;
      return [why, statuses[0], isClosed && `closed, told ${says} time`];
    }),
  );
  const wanted = Object.entries(LAST).map(([why, [status]]) => [
    why,
    status,
    'closed, told 1 time',
  ]);
  expect(told).toEqual(wanted);
});

/** What each engine promises, in seconds. uWebSockets.js closes after 8 to 12. */
const KEPT_S = { node: 120, uws: 7 } as const;

claim('an answer says how long its connection is kept, and it is', async ({ engine, port }) => {
  const request = `GET /echo HTTP/1.1\r\n${HOST}\r\n`;
  const socket = connect(port, '127.0.0.1');
  const answer = async (): Promise<string> => {
    socket.write(request);
    return String((await once(socket, 'data'))[0]);
  };
  const [, seconds = '0'] = /^keep-alive: timeout=(\d+)$/im.exec(await answer()) ?? [];
  expect(Number(seconds)).toBe(KEPT_S[engine]);
  // Most of what is told; the end of it is measured by the long test of connections.
  await sleep(1_000);
  expect(await answer()).toMatch(/^HTTP\/1\.1 200 /);
  socket.destroy();
});

claim('a body that is announced too large is 413 before it is sent', async ({ port }) => {
  const { statuses, isClosed } = await sendRaw(port, [
    'POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 1001\r\n\r\n',
  ]);
  expect(statuses).toEqual([413]);
  expect(isClosed).toBe(true);
});

claim('a body that grows too large is 413 while it comes', async ({ port }) => {
  const chunk = `190\r\n${'x'.repeat(400)}\r\n`;
  const { statuses } = await sendRaw(port, [
    'POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n',
    chunk,
    chunk,
    chunk,
    '0\r\n\r\n',
  ]);
  expect(statuses).toEqual([413]);
});

claim('a body of exactly the bound is taken', async ({ base }) => {
  const response = await fetch(`${base}/echo`, { method: 'POST', body: 'x'.repeat(1_000) });
  expect(response.status).toBe(200);
});

claim('a route that fails is 500 without its reason', async ({ base }) => {
  const response = await fetch(`${base}/throws`);
  expect(response.status).toBe(500);
  expect(await response.text()).not.toContain('inside');
});

claim(
  'answered bytes may be reused at once, and a second answer does nothing',
  async ({ base }) => {
    expect(await (await fetch(`${base}/bytes`)).text()).toBe('first');
  },
);

claim('the head of a stream arrives before its first event', async ({ base, seen }) => {
  const gone = new AbortController();
  const response = await fetch(`${base}/stream`, { signal: gone.signal });
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  const stream = seen.streams.at(-1);
  const reader = response.body?.getReader();
  await reader?.read();
  expect(stream?.write('data: 1\n\n')).toBe(true);
  const { value } = (await reader?.read()) ?? {};
  expect(Buffer.from(value ?? []).toString()).toBe('data: 1\n\n');
  stream?.end();
  expect((await reader?.read())?.done).toBe(true);
  gone.abort();
});

claim(
  'a client that leaves a stream or an unanswered request is heard of once',
  async ({ base, seen }) => {
    for (const path of ['/stream', '/wait']) {
      const before = seen.closed;
      const gone = new AbortController();
      const asked = fetch(`${base}${path}`, { signal: gone.signal }).catch(() => undefined);
      await until(() => (path === '/wait' ? seen.waiting.length > 0 : true));
      await quiet(60);
      gone.abort();
      await asked;
      await until(() => seen.closed === before + 1);
      await quiet(30);
      expect(seen.closed).toBe(before + 1);
    }
    expect(seen.streams.at(-1)?.isOpen).toBe(false);
    expect(seen.streams.at(-1)?.write('x')).toBe(false);
    expect(seen.waiting.at(-1)?.isOpen).toBe(false);
    seen.waiting.at(-1)?.reply({ status: 200, body: 'nobody reads this' });
  },
);

claim('a reader that does not read is dropped at the bound', async ({ port, seen }) => {
  const count = seen.streams.length;
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.pause();
  socket.write('GET /stream HTTP/1.1\r\nHost: a\r\n\r\n');
  await until(() => seen.streams.length > count);
  const stream = seen.streams.at(-1) as HttpStream;
  const text = `data: ${'x'.repeat(65_536)}\n\n`;
  let most = 0;
  for (let sent = 0; sent < 1_000 && stream.isOpen; sent += 1) {
    stream.write(text);
    most = Math.max(most, stream.waitingBytes);
    if (sent % 16 === 0) await quiet(1);
  }
  expect(stream.isOpen).toBe(false);
  expect(most).toBeLessThanOrEqual(BOUND);
  expect(most).toBeGreaterThan(BOUND / 2);
  socket.destroy();
});

claim('one message larger than the bound reaches a reader that reads', async ({ base, seen }) => {
  const count = seen.streams.length;
  const received = new Promise<number>((resolve) => {
    httpRequest(`${base}/stream`, (response) => {
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
      });
      response.on('end', () => resolve(bytes));
    }).end();
  });
  await until(() => seen.streams.length > count);
  const stream = seen.streams.at(-1) as HttpStream;
  expect(stream.write('y'.repeat(3 * BOUND))).toBe(true);
  stream.write('z');
  stream.end();
  expect(await received).toBe(3 * BOUND + ':\n\n'.length + 1);
});

claim(
  'an open answer is finished within the grace, and later requests are refused',
  async ({ engine }) => {
    const seen: Seen = { streams: [], closed: 0, waiting: [] };
    const host = chooseHost(engine, '127.0.0.1', {
      clock: realClock,
      routes: routesOf(seen),
      streamWaitingBytesMax: BOUND,
    });
    const port = await host.listen('127.0.0.1', 0);
    const asked = fetch(`http://127.0.0.1:${port}/wait`);
    await until(() => seen.waiting.length > 0);
    const closing = host.close(5_000);
    seen.waiting[0]?.reply({ status: 200, body: 'in time' });
    expect(await (await asked).text()).toBe('in time');
    await closing;
    await expect(fetch(`http://127.0.0.1:${port}/secret`)).rejects.toThrow();
  },
);

claim('what is open after the grace is ended', async ({ engine }) => {
  const seen: Seen = { streams: [], closed: 0, waiting: [] };
  const host = chooseHost(engine, '127.0.0.1', {
    clock: realClock,
    routes: routesOf(seen),
    streamWaitingBytesMax: BOUND,
  });
  const port = await host.listen('127.0.0.1', 0);
  const asked = fetch(`http://127.0.0.1:${port}/wait`);
  const ended = expect(asked).rejects.toThrow();
  await until(() => seen.waiting.length > 0);
  await host.close(50);
  await ended;
  expect(seen.closed).toBe(1);
});

claim('an address that is taken is told as such', async ({ engine }) => {
  const options = { clock: realClock, routes: [], streamWaitingBytesMax: BOUND };
  const first = chooseHost('node', '127.0.0.1', options);
  const port = await first.listen('127.0.0.1', 0);
  const second = chooseHost(engine, '127.0.0.1', options);
  await expect(second.listen('127.0.0.1', port)).rejects.toMatchObject({
    code: 'PORT_IN_USE',
  });
  await first.close(10);
});

/** Whether a raw request is on the list of allowed differences of an engine. */
export function isAllowed(engine: HttpEngine, one: RawCase): boolean {
  return ALLOWED.some((row) => row.engine === engine && row.name === one.name);
}

for (const one of REFUSED) {
  claim(`refused or dropped, with nothing behind it served: ${one.name}`, async (world) => {
    if (isAllowed(world.engine, one)) return;
    const { statuses, text } = await sendRaw(world.port, one.parts, 120);
    expect(statuses.filter((status) => status < 400)).toEqual([]);
    expect(statuses.length).toBeLessThanOrEqual(1);
    expect(text).not.toContain('secret');
  });
}

for (const one of SERVED) {
  claim(`served: ${one.name}`, async (world) => {
    if (isAllowed(world.engine, one)) return;
    const { statuses } = await sendRaw(world.port, one.parts, 150);
    expect(statuses).toEqual(Array.from({ length: one.okMax }, () => 200));
  });
}

for (const { name, part, status, uws } of MALFORMED) {
  claim(`malformed, and told so or closed as listed: ${name}`, async ({ engine, port }) => {
    const { statuses, text, isClosed } = await sendRaw(port, [part], 200);
    if (engine === 'uws' && uws !== undefined) {
      expect(statuses).toEqual(uws === 'answers 404' ? [404] : []);
      expect(isClosed).toBe(uws === 'closes at once');
      return;
    }
    expect(statuses).toEqual([status]);
    expect(isClosed).toBe(true);
    expect(text).toMatch(/^connection: close$/im);
    expect(text.split('\r\n\r\n')[1]).toMatch(/\w+\n$/);
  });
}

claim('48 headers are served', async ({ port }) => {
  const headers = Array.from({ length: 47 }, (_, at) => `X-${at}: 1\r\n`).join('');
  const { text } = await sendRaw(port, [`GET /echo HTTP/1.1\r\nHost: a\r\n${headers}\r\n`]);
  expect(text).toContain('"count":48');
});

claim('nothing is written into an open stream', async ({ port, seen }) => {
  const { text, isClosed } = await sendRaw(
    port,
    ['GET /stream HTTP/1.1\r\nHost: a\r\n\r\n', 'garbage\r\n\r\n'],
    300,
  );
  expect(text.match(/HTTP\/1\.1 /g)).toHaveLength(1);
  if (!isClosed) seen.streams.at(-1)?.end();
});

for (const one of BROKEN_OFF) {
  claim(`not answered: ${one.name}`, async ({ port }) => {
    expect((await sendRaw(port, one.parts, 120)).statuses).toEqual([]);
  });
}

for (const one of ALLOWED) {
  claim(`differs as listed: ${one.name}`, async ({ engine, port }) => {
    if (engine !== one.engine) return;
    const { statuses } = await sendRaw(port, one.parts, 150);
    expect(statuses).toEqual(Array.from({ length: one.okMax }, () => 200));
  });
}

async function until(claim: () => boolean): Promise<void> {
  for (let tries = 0; tries < 400 && !claim(); tries += 1) await quiet(5);
}

function quiet(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
