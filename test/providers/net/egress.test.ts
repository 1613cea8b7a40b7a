import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, expect, test } from 'vitest';
import type { AppError } from '../../../src/domain/common/error.ts';
import type { EgressRequest, EgressResponse } from '../../../src/domain/net/egress.ts';
import { createAddressRules } from '../../../src/providers/net/address-rules.ts';
import { createEgress, IN_FLIGHT_MAX, redirectTarget } from '../../../src/providers/net/egress.ts';
import { httpLoopback, type Loopback, tcpLoopback } from '../../support/loopback.ts';
import { realClock } from '../../support/real-clock.ts';
import { selfSigned } from '../../support/self-signed.ts';

const servers: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function http(answer: Parameters<typeof httpLoopback>[0]): Promise<Loopback> {
  const server = await httpLoopback(answer);
  servers.push(server);
  return server;
}

async function tcp(onData: (socket: Socket, text: string) => void): Promise<Loopback> {
  const server = await tcpLoopback(onData);
  servers.push(server);
  return server;
}

const client = (...allowHosts: string[]) =>
  createEgress({ clock: realClock, userAgent: 'test/1 (+https://test.example)', allowHosts });

const get = (server: Loopback, more: Partial<EgressRequest> = {}): Promise<EgressResponse> =>
  client(server.host).fetch({ url: `${server.url}/`, method: 'GET', ...more });

const failure = (work: Promise<unknown>): Promise<AppError> =>
  work.then(
    () => expect.unreachable('it was answered'),
    (thrown: AppError) => thrown,
  );

const text = (response: EgressResponse) => Buffer.from(response.body).toString();

test('a plain answer comes with status, headers, body and the address it came from', async () => {
  const server = await http((request, response) => {
    response.writeHead(203, { 'x-two': ['a', 'b'] });
    response.end(`${request.headers['user-agent']} ${String(request.headers['x-mine'])}`);
  });
  const answer = await get(server, { headers: { 'X-Mine': 'yes', 'User-Agent': 'other' } });
  expect(answer).toMatchObject({ status: 203, finalUrl: `${server.url}/`, redirects: [] });
  expect(answer.headers['x-two']).toBe('a, b');
  expect(text(answer)).toBe('test/1 (+https://test.example) yes');
  expect(answer.ms).toBeGreaterThanOrEqual(0);
});

test('HEAD brings no body, whatever length it announces', async () => {
  const server = await http((_request, response) => {
    response.writeHead(200, { 'content-length': '99999999', 'content-encoding': 'gzip' });
    response.end();
  });
  const answer = await get(server, { method: 'HEAD', maxBytes: 10 });
  expect(answer.status).toBe(200);
  expect(answer.body.byteLength).toBe(0);
});

test.each([
  ['gzip', gzipSync('hello')],
  ['x-gzip', gzipSync('hello')],
  ['br', brotliCompressSync('hello')],
  ['deflate', deflateSync('hello')],
  ['gzip, br', brotliCompressSync(gzipSync('hello'))],
  ['identity', Buffer.from('hello')],
])('content-encoding %s is undone', async (encoding, body) => {
  const server = await http((_request, response) => {
    response.writeHead(200, { 'content-encoding': encoding });
    response.end(body);
  });
  expect(text(await get(server))).toBe('hello');
});

test.each(['zstd', 'gzip, gzip, gzip'])(
  'content-encoding %s is a protocol failure',
  async (encoding) => {
    const server = await http((_request, response) => {
      response.writeHead(200, { 'content-encoding': encoding });
      response.end('x');
    });
    const error = await failure(get(server));
    expect(error.code).toBe('EGRESS_FAILED');
    expect(error.data).toMatchObject({ kind: 'protocol', phase: 'body' });
  },
);

test.each([
  ['gzip', gzipSync('x'.repeat(1_000)).subarray(0, 20)],
  ['gzip', Buffer.from('not gzip at all')],
  ['br', Buffer.from('not brotli at all')],
])('a body that is not the %s it claims is a protocol failure', async (encoding, body) => {
  const server = await http((_request, response) => {
    response.writeHead(200, { 'content-encoding': encoding });
    response.end(body);
  });
  expect((await failure(get(server))).data['kind']).toBe('protocol');
});

const BOMB_BYTES = 100_000_000;
test.each([
  ['gzip', gzipSync(Buffer.alloc(BOMB_BYTES))],
  ['br', brotliCompressSync(Buffer.alloc(BOMB_BYTES), { params: { 1: 1 } })],
  ['deflate', deflateSync(Buffer.alloc(BOMB_BYTES))],
  ['gzip, gzip', gzipSync(gzipSync(Buffer.alloc(BOMB_BYTES)))],
])('a %s bomb, small on the wire, ends at the decoded limit', async (encoding, bomb) => {
  expect(bomb.byteLength).toBeLessThan(200_000);
  const server = await http((_request, response) => {
    response.writeHead(200, { 'content-encoding': encoding });
    response.end(bomb);
  });
  const before = process.memoryUsage().rss;
  const error = await failure(get(server, { maxBytes: 5_000_000 }));
  expect(error.code).toBe('EGRESS_TOO_LARGE');
  expect(error.data).toMatchObject({ part: 'body', maxBytes: 5_000_000 });
  expect(process.memoryUsage().rss - before).toBeLessThan(60_000_000);
});

test('an encoding that carries nothing in many bytes ends at the wire limit', async () => {
  const empty = gzipSync('');
  const server = await http((_request, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' });
    response.end(Buffer.concat(Array.from({ length: 10_000 }, () => empty)));
  });
  expect((await failure(get(server, { maxBytes: 1_000 }))).code).toBe('EGRESS_TOO_LARGE');
});

test('a body of exactly the limit passes and one byte more does not', async () => {
  const server = await http((_request, response) => response.end('x'.repeat(1_000)));
  expect((await get(server, { maxBytes: 1_000 })).body.byteLength).toBe(1_000);
  const streamed = await http((_request, response) => {
    response.write('x'.repeat(1_000));
    response.end('y');
  });
  expect((await failure(get(streamed, { maxBytes: 1_000 }))).code).toBe('EGRESS_TOO_LARGE');
});

test('an announced length over the limit is refused before it is read', async () => {
  const server = await http((_request, response) => {
    response.writeHead(200, { 'content-length': '5000001' });
    response.write('x');
  });
  expect((await failure(get(server))).code).toBe('EGRESS_TOO_LARGE');
});

test('truncate answers with what is there at the limit', async () => {
  const server = await http((_request, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' });
    response.end(gzipSync('abcdef'.repeat(1_000)));
  });
  expect(text(await get(server, { maxBytes: 6, truncate: true }))).toBe('abcdef');
});

test('redirects are followed, listed and asked without credentials on another origin', async () => {
  const target = await http((request, response) => response.end(JSON.stringify(request.headers)));
  const first = await http((request, response) => {
    const location = request.url === '/' ? '/second' : `${target.url}/end`;
    response.writeHead(302, { location });
    response.end('x'.repeat(100_000));
  });
  const headers = {
    authorization: 'Bearer s3cret',
    cookie: 'a=b',
    'x-api-key': 'k',
    accept: 'a/b',
  };
  const egress = client(first.host, target.host);
  const answer = await egress.fetch({ url: `${first.url}/`, method: 'GET', headers });
  expect(answer.redirects).toEqual([`${first.url}/`, `${first.url}/second`]);
  expect(answer.finalUrl).toBe(`${target.url}/end`);
  const seen = JSON.parse(text(answer)) as Record<string, string>;
  expect(Object.keys(seen).sort()).toEqual([
    'accept',
    'accept-encoding',
    'connection',
    'host',
    'user-agent',
  ]);
});

test.each([
  ['http://127.0.0.1:PORT/', 'port'],
  ['http://127.0.0.1:8080/', 'address'],
  ['http://169.254.169.254/latest/meta-data', 'address'],
  ['http://0x7f.1:8443/', 'address'],
  ['file:///etc/passwd', 'scheme'],
  ['http://u:p@example.com/', 'userinfo'],
])('a redirect to %s is refused and nothing is asked there', async (location, reason) => {
  const secret = await http((_request, response) => response.end('secret'));
  const server = await http((_request, response) => {
    response.writeHead(301, { location: location.replace('PORT', String(secret.port)) });
    response.end();
  });
  const error = await failure(get(server));
  expect(error.code).toBe('EGRESS_BLOCKED');
  expect(error.data['reason']).toBe(reason);
  expect(secret.hits).toEqual([]);
});

test('a redirect in a circle and one too long end as typed failures', async () => {
  const circle = await http((request, response) => {
    response.writeHead(302, { location: request.url === '/a' ? '/' : '/a' });
    response.end();
  });
  expect((await failure(get(circle))).data).toMatchObject({ kind: 'redirects', code: 'LOOP' });
  let count = 0;
  const endless = await http((_request, response) => {
    count += 1;
    response.writeHead(302, { location: `/${count}` });
    response.end();
  });
  const error = await failure(get(endless, { redirectsMax: 3 }));
  expect(error.data).toMatchObject({ kind: 'redirects', code: 'TOO_MANY' });
  expect(endless.hits).toHaveLength(4);
});

test('a 3xx without a location is an answer', async () => {
  const server = await http((_request, response) => {
    response.writeHead(302);
    response.end();
  });
  expect((await get(server)).status).toBe(302);
});

test('https never leads down to http, whether or not the target is open', () => {
  const rules = createAddressRules(['127.0.0.1:9'], []);
  const leads = (from: string, location: string) =>
    redirectTarget(rules, { status: 302, headers: { location } }, new URL(from))?.href;
  expect(() => leads('https://example.com/', 'http://example.com/')).toThrow(/not public/);
  expect(() => leads('https://example.com/', 'http://127.0.0.1:9/')).toThrow(/not public/);
  expect(leads('https://example.com/a', '//example.org/b')).toBe('https://example.org/b');
  expect(leads('http://example.com/a', 'https://example.com/b')).toBe('https://example.com/b');
});

test('a certificate that nobody vouches for is a tls failure', async () => {
  const server = await secure();
  const error = await failure(
    client(server.host).fetch({ url: `https://${server.host}/`, method: 'GET' }),
  );
  expect(error.code).toBe('EGRESS_FAILED');
  expect(error.data).toMatchObject({ kind: 'tls', phase: 'connect' });
});

test('a host that speaks no tls on https is a tls failure', async () => {
  const server = await tcp((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
  const work = client(server.host).fetch({ url: `https://${server.host}/`, method: 'GET' });
  expect((await failure(work)).data['kind']).toBe('tls');
});

test('a slow drip is ended by the total deadline', async () => {
  const server = await http((_request, response) => {
    const timer = setInterval(() => response.write('x'), 50);
    response.on('close', () => clearInterval(timer));
  });
  const startedAt = Date.now();
  const error = await failure(get(server, { totalTimeoutMs: 400 }));
  expect(error.code).toBe('EGRESS_TIMEOUT');
  expect(error.data).toMatchObject({ limit: 'total', phase: 'body' });
  expect(Date.now() - startedAt).toBeLessThan(2_000);
});

test('a server that never answers is ended by the total deadline', async () => {
  const server = await tcp(() => undefined);
  const error = await failure(get(server, { totalTimeoutMs: 300 }));
  expect(error.data).toMatchObject({ limit: 'total', phase: 'headers' });
});

test('a resolver that never answers is ended by the total deadline', async () => {
  const dns = () => new Promise<never>(() => undefined);
  const egress = createEgress({ clock: realClock, userAgent: 'test/1', dns });
  const work = egress.fetch({ url: 'http://slow.test/', method: 'GET', totalTimeoutMs: 300 });
  expect((await failure(work)).data).toMatchObject({ limit: 'total', phase: 'connect' });
});

test('a redirect chain shares one deadline', async () => {
  let count = 0;
  const server = await http((_request, response) => {
    count += 1;
    setTimeout(() => {
      response.writeHead(302, { location: `/${count}` });
      response.end();
    }, 150);
  });
  const error = await failure(get(server, { totalTimeoutMs: 400, redirectsMax: 20 }));
  expect(error.code).toBe('EGRESS_TIMEOUT');
  expect(error.data['redirects']).not.toEqual([]);
});

test.each([
  ['a huge header', `HTTP/1.1 200 OK\r\nx: ${'a'.repeat(40_000)}\r\n\r\n`, 'EGRESS_TOO_LARGE'],
  [
    'a header flood',
    `HTTP/1.1 200 OK\r\n${Array.from({ length: 4_000 }, (_, n) => `h${n}: v\r\n`).join('')}\r\n`,
    'EGRESS_TOO_LARGE',
  ],
  ['a wrong status line', 'HELLO\r\n\r\n', 'EGRESS_FAILED'],
  ['a wrong status code', 'HTTP/1.1 abc OK\r\n\r\n', 'EGRESS_FAILED'],
  [
    'two lengths',
    'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab',
    'EGRESS_FAILED',
  ],
  [
    'a length beside chunks',
    'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
    'EGRESS_FAILED',
  ],
  ['a length that is no number', 'HTTP/1.1 200 OK\r\ncontent-length: 1x\r\n\r\na', 'EGRESS_FAILED'],
  [
    'a broken chunk',
    'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n',
    'EGRESS_FAILED',
  ],
  ['too few bytes', 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc', 'EGRESS_FAILED'],
])('%s is a typed failure', async (_name, answer, code) => {
  const server = await tcp((socket) => socket.end(answer, 'latin1'));
  const error = await failure(get(server));
  expect(error.code).toBe(code);
  if (code === 'EGRESS_FAILED') expect(['protocol', 'reset']).toContain(error.data['kind']);
});

test('bytes beyond the announced length are not part of the answer', async () => {
  const answer = 'HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nabcHTTP/1.1 200 OK\r\n\r\nevil';
  const server = await tcp((socket) => socket.write(answer));
  expect(text(await get(server))).toBe('abc');
});

test('a reset before and in the middle of the answer is a reset', async () => {
  const before = await tcp((socket) => socket.resetAndDestroy());
  expect((await failure(get(before))).data['kind']).toBe('reset');
  const middle = await tcp((socket) => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc');
    setTimeout(() => socket.resetAndDestroy(), 50);
  });
  expect((await failure(get(middle))).data).toMatchObject({ kind: 'reset', phase: 'body' });
});

test('a closed port is a connect failure, an unknown name a dns failure', async () => {
  const server = await http((_request, response) => response.end());
  await server.close();
  expect((await failure(get(server))).data).toMatchObject({ kind: 'connect', phase: 'connect' });
  const dns = async () => {
    throw Object.assign(new Error('no such host'), { code: 'ENOTFOUND' });
  };
  const egress = createEgress({ clock: realClock, userAgent: 'test/1', dns });
  const error = await failure(egress.fetch({ url: 'http://gone.test/', method: 'GET' }));
  expect(error.data).toMatchObject({ kind: 'dns', code: 'ENOTFOUND' });
});

test('the caller’s signal and close end what is under way', async () => {
  const server = await tcp(() => undefined);
  const stop = new AbortController();
  const first = failure(get(server, { signal: stop.signal }));
  setTimeout(() => stop.abort(), 50);
  expect((await first).data).toMatchObject({ kind: 'aborted', by: 'caller' });
  expect((await failure(get(server, { signal: stop.signal }))).data['by']).toBe('caller');

  const egress = client(server.host);
  const second = failure(egress.fetch({ url: server.url, method: 'GET' }));
  setTimeout(() => void egress.close(), 50);
  expect((await second).data).toMatchObject({ kind: 'aborted', by: 'closed' });
});

test('more than the bound at once is refused, and room comes back', async () => {
  const held: (() => void)[] = [];
  const server = await http((_request, response) => {
    held.push(() => response.end('done'));
  });
  const egress = client(server.host);
  const ask = () => egress.fetch({ url: server.url, method: 'GET' });
  const running = Array.from({ length: IN_FLIGHT_MAX }, ask);
  expect((await failure(ask())).code).toBe('OVERLOADED');
  while (held.length < IN_FLIGHT_MAX) await new Promise((resolve) => setTimeout(resolve, 10));
  for (const release of held) release();
  expect(await Promise.all(running)).toHaveLength(IN_FLIGHT_MAX);
  const after = ask();
  while (held.length <= IN_FLIGHT_MAX) await new Promise((resolve) => setTimeout(resolve, 10));
  held.at(-1)?.();
  expect((await after).status).toBe(200);
});

async function secure() {
  const server = createTlsServer(selfSigned(), (_request, response) => response.end());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  servers.push({
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  });
  return { host: `127.0.0.1:${(server.address() as AddressInfo).port}` };
}
