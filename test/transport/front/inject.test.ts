import { afterAll, beforeAll, expect, test } from 'vitest';
import type { FrontOptions } from '../../../src/transport/front/front.ts';
import { plainRoute } from '../../../src/transport/front/front-route.ts';
import { plainReply } from '../../../src/transport/http/admit.ts';
import type { InjectedRequest } from '../../../src/transport/http/inject.ts';
import { type FrontRig, startFront, TOKEN } from '../../support/front-rig.ts';
import { sendRaw } from '../../support/raw-http.ts';

const ROUTES: Partial<FrontOptions> = {
  routes: [
    plainRoute({ methods: ['GET'], path: '/secret', access: 'operator' }, () =>
      plainReply(200, 'for the operator'),
    ),
    plainRoute({ methods: ['GET'], path: '/page', access: 'own_page' }, () =>
      plainReply(200, 'for our page'),
    ),
    plainRoute({ methods: ['GET'], path: '/broken', access: 'open' }, () => {
      throw new Error('not for the client');
    }),
  ],
};

const JSON_TYPES = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
};
const INITIALIZE = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  },
});

const REQUESTS: Readonly<Record<string, InjectedRequest>> = {
  'a healthy server': { url: '/healthz' },
  'the head of a route': { method: 'HEAD', url: '/healthz' },
  'an unknown path': { url: '/nowhere?and=more' },
  'a wrong method': { method: 'DELETE', url: '/healthz' },
  'a missing token': { url: '/secret' },
  'a token': { url: '/secret', headers: { authorization: `Bearer ${TOKEN}` } },
  'a forged proxy': {
    url: '/secret',
    headers: { authorization: `Bearer ${TOKEN}`, 'x-forwarded-for': '10.0.0.1' },
  },
  'a foreign host': { url: '/healthz', headers: { host: 'evil.example' } },
  'a foreign page': { url: '/page', headers: { origin: 'https://evil.example' } },
  'a program at a page': { url: '/page' },
  'a body where none is read': { method: 'POST', url: '/healthz', body: 'text' },
  'a route that throws': { url: '/broken' },
  'an initialize': { method: 'POST', url: '/v1/mcp', headers: JSON_TYPES, body: INITIALIZE },
  'no JSON': { method: 'POST', url: '/v1/mcp', headers: JSON_TYPES, body: '{' },
};

let rig: FrontRig;
beforeAll(async () => {
  rig = await startFront('node', ROUTES);
});
afterAll(() => rig.front.close());

/** Headers that name the connection, the time or a session of their own. */
const OWN_HEADERS = ['connection', 'date', 'keep-alive', 'mcp-session-id', 'content-length'];

function comparable(headers: Headers) {
  return Object.fromEntries([...headers].filter(([name]) => !OWN_HEADERS.includes(name)));
}

/** Writes the request as it is and reads the reply until the connection closes. */
async function sendOverSocket(port: number, request: InjectedRequest) {
  const { headers = {}, body = '', method = 'GET', url } = request;
  const text = String(body);
  const length = text === '' ? {} : { 'content-length': String(text.length) };
  const lines = Object.entries({
    host: '127.0.0.1',
    ...length,
    ...headers,
    connection: 'close',
  }).map(([name, value]) => `${name}: ${value}`);
  const answer = await sendRaw(port, [
    `${method} ${url} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${text}`,
  ]);
  const [head = '', ...rest] = answer.text.split('\r\n\r\n');
  const replied = new Headers();
  for (const line of head.split('\r\n').slice(1)) {
    const [, name = '', value = ''] = /^([^:]+): ?(.*)$/.exec(line) ?? [];
    replied.append(name, value);
  }
  return { status: answer.statuses[0], headers: replied, body: rest.join('\r\n\r\n') };
}

test.each(Object.entries(REQUESTS))(
  'an injected request gets the reply that a socket gets: %s',
  async (_name, request) => {
    const sent = await sendOverSocket(rig.port, request);
    const injected = await rig.front.inject(request);
    expect(injected.status).toBe(sent.status);
    expect(comparable(injected.headers)).toEqual(comparable(sent.headers));
    expect(injected.body.toString()).toBe(sent.body);
  },
);

test('a client that leaves gets what its stream has sent, and its stream counts no more', async () => {
  const first = await rig.front.inject(REQUESTS['an initialize'] as InjectedRequest);
  const session = first.headers.get('mcp-session-id') ?? '';
  const leaving = new AbortController();
  const streaming = rig.front.inject({
    url: '/v1/mcp',
    headers: { accept: 'text/event-stream', 'mcp-session-id': session },
    signal: leaving.signal,
  });
  await expect.poll(() => rig.front.load().streams).toBe(1);
  leaving.abort();
  const reply = await streaming;
  expect(reply.status).toBe(200);
  expect(reply.headers.get('content-type')).toBe('text/event-stream');
  expect(rig.front.load().streams).toBe(0);
});
