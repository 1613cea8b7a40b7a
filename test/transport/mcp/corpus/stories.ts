import type { Sent } from './exchange.ts';

/** A session's life, step by step. Steps share one session where they name it. */
export interface Story {
  readonly name: string;
  /** The version of the handshake before the first step; none is made without it. */
  readonly version?: string;
  readonly path?: string;
  readonly steps: readonly Sent[];
}

const ACCEPT = 'application/json, text/event-stream';

/** A POST as clients make it, on the story's session. */
export function post(body: unknown, headers: Record<string, string> = {}): Sent {
  const own = { 'content-type': 'application/json', accept: ACCEPT, 'mcp-session-id': '$session' };
  return { method: 'POST', path: '/v1/mcp', headers: { ...own, ...headers }, body };
}

/** A request of JSON-RPC. */
export function ask(method: string, params?: unknown, id: unknown = 1): object {
  return { jsonrpc: '2.0', id, method, ...(params === undefined ? {} : { params }) };
}

/** A handshake. */
export function hello(version: string): object {
  const clientInfo = { name: 'corpus', version: '1' };
  return ask('initialize', { protocolVersion: version, capabilities: {}, clientInfo }, 'hello');
}

const call = (name: string, input: object = {}, meta?: object, id: unknown = 2): object =>
  ask('tools/call', { name, arguments: input, ...(meta === undefined ? {} : { _meta: meta }) }, id);
const note = (method: string, params?: object): object => ({
  jsonrpc: '2.0',
  method,
  ...(params === undefined ? {} : { params }),
});
const bare = (method: string, headers: Record<string, string> = {}): Sent => ({
  method,
  path: '/v1/mcp',
  headers: { accept: 'text/event-stream', ...headers },
});
const without = (sent: Sent, name: string): Sent => {
  const { [name]: _gone, ...headers } = sent.headers;
  return { ...sent, headers };
};
const VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];
const PAYMENT = { 'payment-signature': 'eyJwYWlkIjp0cnVlfQ==' };

/** Handshakes in every version, known and unknown ones. */
const HANDSHAKES: readonly Story[] = [
  ...[...VERSIONS, '2024-10-07', '2026-07-28', '1999-01-01'].map((version) => ({
    name: `a handshake in ${version}`,
    steps: [without(post(hello(version)), 'mcp-session-id')],
  })),
  {
    name: 'a handshake without facts',
    steps: [without(post(ask('initialize', {})), 'mcp-session-id')],
  },
  {
    name: 'a second handshake on a session',
    version: '2025-11-25',
    steps: [post(hello('2025-11-25'))],
  },
];

/** The plain course of a session. */
const COURSES: readonly Story[] = VERSIONS.map((version) => ({
  name: `the course of a session in ${version}`,
  version,
  steps: [
    post(note('notifications/initialized')),
    post(ask('ping')),
    post(ask('tools/list')),
    post(call('echo', { word: 'hello' })),
    post(call('echo', { word: 'again' }, undefined, 'a text as id')),
    post(call('steps', { count: 3 }, { progressToken: 'token' })),
    post(call('steps', { count: 2 }, { progressToken: 7 })),
    post(call('steps', { count: 2 })),
    post(ask('resources/list')),
    post(ask('resources/templates/list')),
    post(ask('resources/read', { uri: 'note://known' })),
    post(ask('resources/read', { uri: 'note://unknown' })),
    post(note('notifications/cancelled', { requestId: 99 })),
    bare('DELETE', { 'mcp-session-id': '$session' }),
    post(ask('ping')),
  ],
}));

/** What is paid and what is not. */
const PAYMENTS: readonly Story[] = [
  {
    name: 'payments',
    version: '2025-11-25',
    steps: [
      post(call('paid')),
      post(call('paid'), PAYMENT),
      post(call('paid', {}, { 'x402/payment': { any: 1 } })),
      post(call('paid', {}, { 'x402/payment': { any: 1 } }), PAYMENT),
      post(call('paid'), { 'x-payment': 'old' }),
      post(call('late')),
      post(call('pending')),
    ],
  },
  {
    name: 'payments in band',
    path: '/v2/',
    version: '2025-11-25',
    steps: [
      { ...post(call('paid')), path: '/v2/' },
      { ...post(call('paid'), PAYMENT), path: '/v2/' },
    ],
  },
];

/** What is wrong on the wire. */
const FAULTS: readonly Story[] = [
  {
    name: 'messages that are none',
    version: '2025-11-25',
    steps: [
      post('{'),
      post(''),
      post('null'),
      post('3'),
      post('"text"'),
      post({}),
      post({ jsonrpc: '1.0', id: 1, method: 'ping' }),
      post({ jsonrpc: '2.0', id: null, method: 'ping' }),
      post({ jsonrpc: '2.0', id: 1.5, method: 'ping' }),
      post({ jsonrpc: '2.0', id: {}, method: 'ping' }),
      post({ jsonrpc: '2.0', id: 1, method: 7 }),
      post({ jsonrpc: '2.0', id: 1, method: 'ping', params: [] }),
      post({ jsonrpc: '2.0', id: 1, method: 'ping', params: 'text' }),
      post({ jsonrpc: '2.0', id: 1, result: {} }),
      post({ jsonrpc: '2.0', id: 1, error: { code: 1, message: 'm' } }),
      post([]),
      post([ask('ping')]),
    ],
  },
  {
    name: 'requests that cannot be answered',
    version: '2025-06-18',
    steps: [
      post(ask('nothing/known')),
      post(ask('tools/call')),
      post(ask('tools/call', { name: 7 })),
      post(ask('tools/call', { name: 'echo', arguments: 'text' })),
      post(ask('tools/call', { name: 'unknown' })),
      post(ask('tools/list', { cursor: 'no such page' })),
      post(ask('resources/read')),
      post(ask('prompts/list')),
      post(ask('logging/setLevel', { level: 'debug' })),
      post(ask('completion/complete', {})),
      post(call('broken')),
    ],
  },
  {
    name: 'batches',
    version: '2025-03-26',
    steps: [
      post([ask('ping', undefined, 1), ask('ping', undefined, 2)]),
      post([note('notifications/initialized')]),
      post([call('echo', { n: 1 }, undefined, 3), call('paid', {}, undefined, 4)]),
      post([]),
      post([ask('ping'), 7]),
      post([hello('2025-03-26')]),
    ],
  },
  {
    name: 'heads',
    version: '2025-11-25',
    steps: [
      post(ask('ping'), { 'content-type': 'text/plain' }),
      post(ask('ping'), { 'content-type': 'application/json; charset=utf-8' }),
      post(ask('ping'), { accept: 'application/json' }),
      post(ask('ping'), { accept: 'text/event-stream' }),
      post(ask('ping'), { accept: '*/*' }),
      post(ask('ping'), { 'mcp-protocol-version': '2025-06-18' }),
      post(ask('ping'), { 'mcp-protocol-version': '1999-01-01' }),
      post(ask('ping'), { 'mcp-session-id': 'unknown' }),
      without(post(ask('ping')), 'mcp-session-id'),
      bare('GET', { 'mcp-session-id': '$session', accept: 'application/json' }),
      bare('GET', { 'mcp-session-id': '$session', 'last-event-id': 'none:1' }),
      bare('GET'),
      bare('DELETE'),
      bare('DELETE', { 'mcp-session-id': 'unknown' }),
      bare('PUT', { 'mcp-session-id': '$session' }),
    ],
  },
];

/** The corpus that is written by hand. */
export const STORIES: readonly Story[] = [...HANDSHAKES, ...COURSES, ...PAYMENTS, ...FAULTS];
