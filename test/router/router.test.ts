import { createHash } from 'node:crypto';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import WebSocket, { WebSocketServer } from 'ws';
import { type Asked, askRouter } from '../support/ask-router.ts';
import { openRouterRig, RawClient, type RouterRig, routeTo } from '../support/router-rig.ts';

const HOST = 'web.localhost';
let rig: RouterRig;

beforeEach(async () => {
  rig = await openRouterRig();
});

afterEach(async () => {
  await rig.close();
});

const ask = (asked: Asked = {}) => askRouter(rig.router.port, { host: HOST, ...asked });

test('requests go to the service that their host names, and a row tells of each', async () => {
  const one = await rig.instance('one', (_, answer) => answer.end('one'));
  const two = await rig.instance('two', (_, answer) => answer.writeHead(201).end('two'));
  rig.route(routeTo(HOST, one), routeTo('other.localhost', two));
  expect(await ask({ path: '/a?secret=1' })).toMatchObject({ status: 200, text: 'one' });
  expect(await ask({ host: 'OTHER.localhost:99' })).toMatchObject({ status: 201, text: 'two' });
  expect(await ask({ host: 'none.localhost' })).toMatchObject({ status: 404 });
  expect(rig.rows).toMatchObject([
    { resource: `srv-${HOST}`, instance: 'one', host: HOST, path: '/a', status: 200, bytes: 3 },
    { resource: 'srv-other.localhost', instance: 'two', status: 201 },
  ]);
  expect(rig.router.state().underWay).toEqual({});
});

test('bodies of a megabyte come through whole, of a length and in chunks', async () => {
  const hash = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
  const echo = await rig.instance('echo', (call, answer) => {
    const pieces: Buffer[] = [];
    call.on('data', (piece: Buffer) => pieces.push(piece));
    call.on('end', () => answer.end(hash(Buffer.concat(pieces))));
  });
  rig.route(routeTo(HOST, echo));
  const body = Buffer.alloc(1_048_576, 'ab\r\n');
  const sized = { 'content-length': String(body.length) };
  expect(await ask({ method: 'POST', body, headers: sized })).toMatchObject({ text: hash(body) });
  const chunked = { 'transfer-encoding': 'chunked' };
  expect(await ask({ method: 'POST', body, headers: chunked })).toMatchObject({
    text: hash(body),
  });
});

test('a stream reaches the client piece by piece', async () => {
  let send: (piece: string) => void = () => {};
  let end = (): void => {};
  const stream = await rig.instance('stream', (_, answer) => {
    answer.writeHead(200, { 'content-type': 'text/event-stream' });
    send = (piece) => void answer.write(piece);
    end = () => void answer.end();
    send('data: 1\n\n');
  });
  rig.route(routeTo(HOST, stream));
  const client = new RawClient(rig.router.port);
  client.send(`GET / HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`);
  await vi.waitFor(() => expect(client.text).toContain('data: 1'), 5_000);
  expect(rig.router.state().underWay).toEqual({ stream: 1 });
  send('data: 2\n\n');
  await vi.waitFor(() => expect(client.text).toContain('data: 2'), 5_000);
  end();
  await vi.waitFor(() => expect(rig.router.state().underWay).toEqual({}), 5_000);
  client.socket.destroy();
});

test('a client that leaves ends the request at the instance', async () => {
  const left = vi.fn();
  const slow = await rig.instance('slow', (call) => call.on('close', left));
  rig.route(routeTo(HOST, slow));
  const client = new RawClient(rig.router.port);
  client.send(`GET / HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`);
  await vi.waitFor(() => expect(rig.router.state().underWay).toEqual({ slow: 1 }), 5_000);
  client.socket.destroy();
  await vi.waitFor(() => expect(left).toHaveBeenCalled(), 5_000);
  await vi.waitFor(() => expect(rig.rows).toMatchObject([{ status: 499 }]), 5_000);
});

test('a change of protocol is passed on, with what both sides say after it', async () => {
  const one = await rig.instance('one', (_, answer) => answer.end('plain'));
  const sockets = new WebSocketServer({ server: one.server });
  sockets.on('connection', (socket) =>
    socket.on('message', (data: Buffer) => socket.send(`got ${data.toString()}`)),
  );
  rig.route(routeTo(HOST, one));
  const client = new WebSocket(`ws://127.0.0.1:${rig.router.port}/x`, {
    headers: { host: HOST },
  });
  const heard: string[] = [];
  client.on('message', (data: Buffer) => heard.push(data.toString()));
  await new Promise((done) => client.once('open', done));
  client.send('hello');
  client.send('a'.repeat(200_000));
  await vi.waitFor(() => expect(heard).toEqual(['got hello', `got ${'a'.repeat(200_000)}`]), 5_000);
  client.close();
  await vi.waitFor(() => expect(rig.rows).toMatchObject([{ status: 101 }]), 5_000);
  sockets.close();
});

test('pipelined requests are answered in order', async () => {
  const one = await rig.instance('one', (call, answer) => {
    setTimeout(() => answer.end(`<${call.url}>`), call.url === '/1' ? 50 : 0);
  });
  rig.route(routeTo(HOST, one));
  const client = new RawClient(rig.router.port);
  const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`;
  client.send(get('/1') + get('/2') + get('/3'));
  await vi.waitFor(() => expect(client.text).toContain('</3>'), 5_000);
  expect(client.text.match(/<\/\d>/g)).toEqual(['</1>', '</2>', '</3>']);
  client.socket.destroy();
});

test('a client of HTTP/1.0 gets an answer that it can read, and the end of the connection', async () => {
  const one = await rig.instance('one', (_, answer) => {
    answer.write('a');
    answer.end('b');
  });
  rig.route(routeTo(HOST, one));
  const client = new RawClient(rig.router.port);
  client.send(`GET / HTTP/1.0\r\nHost: ${HOST}\r\n\r\n`);
  await vi.waitFor(() => expect(client.isClosed).toBe(true), 5_000);
  expect(client.text).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*\r\n\r\nab$/);
});

test('an instance that is not there is passed over where another is', async () => {
  const gone = await rig.instance('gone', () => {});
  const well = await rig.instance('well', (_, answer) => answer.end('well'));
  await gone.stop();
  rig.route(routeTo(HOST, gone, well));
  expect(await ask({ method: 'POST', body: 'x' })).toMatchObject({ status: 200, text: 'well' });
  rig.route(routeTo(HOST, gone));
  expect(await ask()).toMatchObject({ status: 502 });
});

test('an instance that closed a kept connection is asked again, for what may be repeated', async () => {
  const one = await rig.instance('one', (_, answer) => answer.end('ok'));
  rig.route(routeTo(HOST, one));
  for (let count = 0; count < 20; count += 1) {
    expect(await ask()).toMatchObject({ status: 200 });
    one.server.closeAllConnections();
  }
  expect(rig.rows).toHaveLength(20);
});

test.each([
  ['says nothing and hangs up', '', 502],
  ['speaks another protocol', 'SSH-2.0\r\n\r\n', 502],
  ['gives two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab', 502],
  ['changes the protocol unasked', 'HTTP/1.1 101 X\r\nUpgrade: x\r\n\r\n', 502],
  ['never ends its head', `HTTP/1.1 200 OK\r\n${'X: y\r\n'.repeat(10_000)}`, 502],
])('an instance that %s costs its own request alone', async (_, said, status) => {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.end(said));
  });
  const port = await new Promise<number>((done) => {
    server.listen(0, '127.0.0.1', () => done((server.address() as { port: number }).port));
  });
  const to = {
    kind: 'instances' as const,
    instances: [{ id: 'ill', address: '127.0.0.1', port }],
  };
  rig.route({ serviceId: 'srv-ill', hosts: [HOST], to });
  expect(await ask()).toMatchObject({ status });
  expect(rig.router.state().underWay).toEqual({});
  server.close();
});

test('an answer that breaks off is not taken for whole', async () => {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc'));
  });
  const port = await new Promise<number>((done) => {
    server.listen(0, '127.0.0.1', () => done((server.address() as { port: number }).port));
  });
  const to = {
    kind: 'instances' as const,
    instances: [{ id: 'ill', address: '127.0.0.1', port }],
  };
  rig.route({ serviceId: 'srv-ill', hosts: [HOST], to });
  await expect(ask()).rejects.toThrow();
  server.close();
});

test('a second answer in one is not given to the next client', async () => {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', () => {
      const answer = (text: string): string =>
        `HTTP/1.1 200 OK\r\nContent-Length: ${text.length}\r\n\r\n${text}`;
      socket.write(answer('mine') + answer('stolen'));
    });
  });
  const port = await new Promise<number>((done) => {
    server.listen(0, '127.0.0.1', () => done((server.address() as { port: number }).port));
  });
  const to = {
    kind: 'instances' as const,
    instances: [{ id: 'ill', address: '127.0.0.1', port }],
  };
  rig.route({ serviceId: 'srv-ill', hosts: [HOST], to });
  for (let count = 0; count < 5; count += 1) expect(await ask()).toMatchObject({ text: 'mine' });
  await rig.router.close(100);
  server.close();
});

test('a service that is suspended says so', async () => {
  const to = { kind: 'unavailable' as const, why: 'suspended' };
  rig.route({ serviceId: 'srv-off', hosts: [HOST], to });
  const { status, text } = await ask();
  expect({ status, text }).toMatchObject({
    status: 503,
    text: expect.stringContaining('suspended'),
  });
});

test('ambiguous requests end their connection, and what follows in them is no request', async () => {
  const heard: string[] = [];
  const one = await rig.instance('one', (call, answer) => {
    heard.push(String(call.url));
    answer.end('x');
  });
  rig.route(routeTo(HOST, one));
  const hidden = `GET /hidden HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`;
  const post = (...fields: readonly string[]): string =>
    ['POST /seen HTTP/1.1', `Host: ${HOST}`, ...fields, '', ''].join('\r\n');
  const corpus = [
    `${post('Content-Length: 4', 'Transfer-Encoding: chunked')}0\r\n\r\n${hidden}`,
    `${post('Content-Length: 0', 'Content-Length: 44')}${hidden}`,
    `${post('Transfer-Encoding: xchunked')}${hidden}`,
    `${post('Transfer-Encoding : chunked')}0\r\n\r\n${hidden}`,
    `${post('Transfer-Encoding:\tchunked', 'Transfer-Encoding: x')}0\r\n\r\n${hidden}`,
    `${post('X: y\nContent-Length: 0')}${hidden}`,
    `${post('Transfer-Encoding: chunked')}3\nabc\r\n0\r\n\r\n${hidden}`,
    `${post('Transfer-Encoding: chunked')}0x0\r\n\r\n${hidden}`,
    `GET /seen HTTP/1.1\r\nHost: ${HOST}\r\nHost: other\r\n\r\n${hidden}`,
    `GET /seen\r\n\r\n${hidden}`,
  ];
  for (const text of corpus) {
    const client = new RawClient(rig.router.port);
    client.send(text);
    await vi.waitFor(() => expect(client.isClosed, text).toBe(true), 5_000);
    expect(client.text, text).toMatch(/^HTTP\/1\.1 (400|501)/);
  }
  expect(heard).not.toContain('/hidden');
});

test('no request fails while a service is replaced ten times under load', async () => {
  const version = (name: string) =>
    rig.instance(name, (call, answer) => {
      call.resume();
      const wait = call.url === '/slow' ? 60 : 0;
      call.on('end', () => setTimeout(() => answer.end(name), wait));
    });
  let live = await version('v0');
  rig.route(routeTo(HOST, live));
  let isOver = false;
  const statuses = new Map<number | string, number>();
  const seen = new Set<string>();
  const load = async (asked: Asked): Promise<void> => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    while (!isOver) {
      const { status, text } = await ask({ ...asked, agent }).catch((failure: Error) => ({
        status: failure.message,
        text: '',
      }));
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      seen.add(text);
    }
    agent.destroy();
  };
  const clients = [
    ...Array.from({ length: 4 }, () => load({})),
    ...Array.from({ length: 2 }, () => load({ path: '/slow' })),
    ...Array.from({ length: 3 }, () => load({ method: 'POST', body: 'b'.repeat(10_000) })),
  ];
  await vi.waitFor(() => expect([...seen]).toContain('v0'), 20_000);
  for (let count = 1; count <= 10; count += 1) {
    const next = await version(`v${count}`);
    const old = live;
    rig.route(routeTo(HOST, next));
    live = next;
    await vi.waitFor(() => expect(rig.router.state().underWay[old.id] ?? 0).toBe(0), 20_000);
    await old.stop();
    await vi.waitFor(() => expect([...seen]).toContain(`v${count}`), 20_000);
  }
  isOver = true;
  await Promise.all(clients);
  expect([...statuses.keys()]).toEqual([200]);
  expect(seen.size).toBe(11);
}, 60_000);

describe('a site of files', () => {
  beforeEach(() => {
    publishSite();
  });

  test.each([
    ['/', 200, '<p>home</p>'],
    ['/index.html?x=1', 200, '<p>home</p>'],
    ['/about', 200, 'about'],
    ['/folder/', 200, 'inside'],
    ['/folder', 301, 'The path ends with a slash.\n'],
    ['/none', 404, 'own page'],
  ])('%s is answered with %i', async (path, status, text) => {
    expect(await ask({ path })).toMatchObject({ status, text });
  });

  test.each([
    '/../secret.txt',
    '/%2e%2e/secret.txt',
    '/folder/..%2f..%2fsecret.txt',
    '/link.txt',
    '/up/secret.txt',
    '/.env',
    '/%00',
    '/%zz',
    '/..%5csecret.txt',
    '//etc/passwd',
  ])('nothing outside and nothing hidden is given for %s', async (path) => {
    const { status, text } = await ask({ path });
    expect({ status, text }).toEqual({ status: 404, text: 'own page' });
  });

  test('a version that the client has, a part, and another method', async () => {
    const { message } = await ask();
    const tag = String(message.headers.etag);
    expect(message.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(await ask({ headers: { 'if-none-match': tag } })).toMatchObject({ status: 304 });
    expect(await ask({ headers: { range: 'bytes=3-6' } })).toMatchObject({
      status: 206,
      text: 'home',
    });
    expect(await ask({ headers: { range: 'bytes=-4' } })).toMatchObject({
      status: 206,
      text: '</p>',
    });
    expect(await ask({ headers: { range: 'bytes=99-' } })).toMatchObject({ status: 416 });
    expect(await ask({ method: 'HEAD' })).toMatchObject({ status: 200, text: '' });
    expect(await ask({ method: 'POST', body: 'x' })).toMatchObject({ status: 405 });
  });
});

/** Publishes some files, with traps beside them. */
function publishSite(): void {
  const root = join(rig.folder, 'site');
  mkdirSync(join(root, 'folder'), { recursive: true });
  writeFileSync(join(rig.folder, 'secret.txt'), 'secret');
  writeFileSync(join(root, 'index.html'), '<p>home</p>');
  writeFileSync(join(root, 'about.html'), 'about');
  writeFileSync(join(root, '.env'), 'secret');
  writeFileSync(join(root, 'folder', 'index.html'), 'inside');
  writeFileSync(join(root, '404.html'), 'own page');
  symlinkSync(join(rig.folder, 'secret.txt'), join(root, 'link.txt'));
  symlinkSync(rig.folder, join(root, 'up'));
  const to = { kind: 'files' as const, instance: 'dep-1', root };
  rig.route({ serviceId: 'srv-site', hosts: [HOST], to });
}
