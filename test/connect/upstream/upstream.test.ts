import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { openUpstream, type Upstream } from '../../../src/connect/upstream/upstream.ts';
import { httpLoopback } from '../../support/loopback.ts';

type Json = Record<string, unknown>;
type Handler = (request: Json, response: ServerResponse, head: IncomingMessage) => void;

const CLIENT = { name: 'test', version: '1' };
const LINE = { 'content-type': 'application/json' };

/** A server that does what a test wants, once a session has begun. */
async function served(handler: Handler) {
  let sessions = 0;
  const take = (text: string, request: IncomingMessage, response: ServerResponse): void => {
    const message = (text === '' ? {} : JSON.parse(text)) as Json;
    if (message['method'] === 'initialize') {
      sessions += 1;
      response.writeHead(200, { ...LINE, 'mcp-session-id': `s${sessions}` });
      const result = { protocolVersion: '2025-06-18', instructions: 'Hello.' };
      response.end(JSON.stringify({ jsonrpc: '2.0', id: message['id'], result }));
    } else if (message['id'] === undefined) response.writeHead(202).end();
    else handler(message, response, request);
  };
  const loopback = await httpLoopback((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (chunk: Buffer) => parts.push(chunk));
    request.on('end', () => take(Buffer.concat(parts).toString('utf8'), request, response));
  });
  const upstream = openUpstream(loopback.url, CLIENT);
  onTestFinished(async () => {
    await upstream.close();
    await loopback.close();
  });
  return { upstream, sessions: () => sessions };
}

function ask(upstream: Upstream, overrides: Partial<Parameters<Upstream['request']>[0]> = {}) {
  return upstream.request({
    method: 'tools/call',
    params: { name: 'a' },
    signal: new AbortController().signal,
    isRepeatable: true,
    patienceMs: 5_000,
    ...overrides,
  });
}

const answer = (message: Json, response: ServerResponse, text = 'yes'): void => {
  const result = { content: [{ type: 'text', text }] };
  response.writeHead(200, LINE).end(JSON.stringify({ jsonrpc: '2.0', id: message['id'], result }));
};

test('the version that the server chose goes with every request', async () => {
  let version: unknown;
  const { upstream } = await served((message, response, { headers }) => {
    version = headers['mcp-protocol-version'];
    answer(message, response);
  });
  expect(await ask(upstream)).toMatchObject({ result: { content: [{ text: 'yes' }] } });
  expect(version).toBe('2025-06-18');
  expect(upstream.initializeResult()).toMatchObject({ instructions: 'Hello.' });
});

test('a session that is gone is begun anew and the request sent again', async () => {
  const { upstream, sessions } = await served((message, response, { headers }) => {
    if (headers['mcp-session-id'] === 's1') response.writeHead(404).end();
    else answer(message, response);
  });
  expect(await ask(upstream, { isRepeatable: false })).toMatchObject({ result: {} });
  expect(sessions()).toBe(2);
});

test('a busy server is asked again in the same session, when it says', async () => {
  let asked = 0;
  const { upstream, sessions } = await served((message, response) => {
    asked += 1;
    if (asked > 1) answer(message, response);
    else response.writeHead(429, { 'retry-after': '1' }).end();
  });
  const began = Date.now();
  await ask(upstream, { isRepeatable: false });
  expect(Date.now() - began).toBeGreaterThanOrEqual(950);
  expect([asked, sessions()]).toEqual([2, 1]);
});

test('a request that may have been heard is repeated only where that is safe', async () => {
  let asked = 0;
  const { upstream } = await served((message, response) => {
    asked += 1;
    if (asked % 2 === 1) response.destroy();
    else answer(message, response);
  });
  expect(await ask(upstream)).toMatchObject({ result: {} });
  await expect(ask(upstream, { isRepeatable: false })).rejects.toMatchObject({
    code: 'SERVER_UNREACHABLE',
    data: { sent: true },
  });
});

test('a stream is read in any cut, its progress told, and a broken one is asked for again', async () => {
  let asked = 0;
  const told: unknown[] = [];
  const { upstream } = await served((message, response) => {
    asked += 1;
    const { _meta } = message['params'] as { _meta: { progressToken: number } };
    const note = { method: 'notifications/progress', params: { ..._meta, progress: asked } };
    const result = { content: [], said: 'héllo\nworld' };
    const parts = [
      ': begin\r\n\r\nid: 1\ndata:\n\n',
      `event: message\r\ndata: ${JSON.stringify({ jsonrpc: '2.0', ...note })}\r\n\r\n`,
      `data: ${JSON.stringify({ jsonrpc: '2.0', id: message['id'], result })}\n\n`,
    ];
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const bytes = Buffer.from(parts.slice(0, asked === 1 ? 2 : 3).join(''));
    for (let at = 0; at < bytes.length; at += 7) response.write(bytes.subarray(at, at + 7));
    response.end();
  });
  const onProgress = (params: Json) => void told.push(params['progress']);
  expect(await ask(upstream, { onProgress })).toMatchObject({ result: { said: 'héllo\nworld' } });
  expect(told).toEqual([1, 2]);
});

test('an error of JSON-RPC and a challenge with its status are answers', async () => {
  const { upstream } = await served((message, response) => {
    const isCall = message['method'] === 'tools/call';
    const body = isCall
      ? { result: { isError: true } }
      : { error: { code: -32602, message: 'Unknown tool' } };
    response
      .writeHead(isCall ? 402 : 200, { ...LINE, ...(isCall ? { 'payment-required': 'e30=' } : {}) })
      .end(JSON.stringify({ jsonrpc: '2.0', id: message['id'], ...body }));
  });
  expect(await ask(upstream)).toEqual({ result: { isError: true } });
  expect(await ask(upstream, { method: 'x' })).toMatchObject({ error: { code: -32602 } });
});

test.each([
  ['HTTP 500', (_: Json, response: ServerResponse) => void response.writeHead(500).end()],
  ['no JSON', (_: Json, response: ServerResponse) => void response.writeHead(200, LINE).end('<p>')],
])('%s is no answer, and is not asked for again', async (_name, handler) => {
  let asked = 0;
  const { upstream } = await served((message, response) => {
    asked += 1;
    handler(message, response);
  });
  await expect(ask(upstream)).rejects.toMatchObject({ code: 'EGRESS_FAILED' });
  expect(asked).toBe(1);
});

test('a server that is not there is named, with what to do, when patience ends', async () => {
  const upstream = openUpstream('http://127.0.0.1:9/v1/mcp', CLIENT);
  await expect(ask(upstream, { patienceMs: 300 })).rejects.toMatchObject({
    code: 'SERVER_UNREACHABLE',
    message: expect.stringMatching(/^The server at http:\/\/127\.0\.0\.1:9\/v1\/mcp does not/),
  });
  const stop = new AbortController();
  const open = ask(upstream, { patienceMs: 60_000, signal: stop.signal });
  stop.abort();
  await expect(open).rejects.toThrow();
});
