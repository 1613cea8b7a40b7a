import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readUrl } from '../../web/src/reads/read.ts';

const ANSWERS: Readonly<Record<string, readonly [status: number, type: string, body: string]>> = {
  '/rows': [200, 'application/json', '{"rows":[1]}'],
  '/note': [200, 'text/plain; charset=utf-8', '{"rows":[1]}'],
  '/told': [503, 'application/json', '{"error":"CHAIN_UNAVAILABLE","message":"No node answers."}'],
  '/gone': [404, 'text/plain', 'not found'],
  '/bare': [500, 'text/html', '<h1>oops</h1>'],
  '/torn': [200, 'application/json', '{"rows":'],
};
let server: Server;
let base = '';

beforeAll(async () => {
  server = createServer(({ url = '' }, reply) => {
    const [status, type, body] = ANSWERS[url] ?? [404, 'text/plain', ''];
    reply.writeHead(status, { 'content-type': type }).end(body);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => new Promise((done) => server.close(done)));

test('JSON is read as such, and text stays text', async () => {
  expect(await readUrl(`${base}/rows`)).toEqual({ value: { rows: [1] }, fault: null });
  expect(await readUrl(`${base}/note`)).toEqual({ value: '{"rows":[1]}', fault: null });
});

test.each([
  ['/told', 503, 'CHAIN_UNAVAILABLE', 'No node answers.'],
  ['/gone', 404, null, 'Not found on this server.'],
  ['/bare', 500, null, 'The server returned HTTP 500.'],
  ['/torn', 0, null, 'The server did not respond.'],
] as const)('%s is told by its status, code and words', async (path, status, code, words) => {
  const fault = { status, code, words };
  expect(await readUrl(`${base}${path}`)).toEqual({ value: null, fault });
});

test('a server that is not there is a fault without a status', async () => {
  const { fault } = await readUrl('http://127.0.0.1:1/rows');
  expect(fault).toEqual({ status: 0, code: null, words: 'The server did not respond.' });
});
