import fc from 'fast-check';
import type { Sent } from './exchange.ts';
import { ask, post, type Story } from './stories.ts';

const VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];
const METHODS = [
  'ping',
  'tools/list',
  'tools/call',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'prompts/list',
  'nothing/known',
  '',
];
const TOOLS = ['echo', 'steps', 'paid', 'late', 'pending', 'broken', 'unknown', ''];

const plain = fc.jsonValue({ maxDepth: 3 });
const input = fc.oneof(
  fc.record({ count: fc.nat(4), pauseMs: fc.constant(0) }),
  fc.dictionary(fc.string({ maxLength: 8 }), plain, { maxKeys: 4 }),
  plain,
);
const meta = fc.oneof(
  fc.record({ progressToken: fc.oneof(fc.nat(), fc.string({ maxLength: 12 })) }),
  fc.record({ progressToken: plain }),
  fc.record({ 'x402/payment': plain }),
  plain,
);
const params = fc.oneof(
  fc.constant(undefined),
  fc.record(
    {
      name: fc.oneof(fc.constantFrom(...TOOLS), plain),
      arguments: input,
      uri: fc.oneof(fc.constantFrom('note://known', 'note://none'), plain),
      _meta: meta,
    },
    { requiredKeys: [] },
  ),
  fc.record({ name: fc.constantFrom(...TOOLS), arguments: input }),
  plain,
);
const id = fc.oneof(fc.nat(), fc.string({ maxLength: 20 }), plain);
const request = fc
  .tuple(fc.constantFrom(...METHODS), params, id)
  .map(([method, given, own]) => ask(method, given, own));
const odd = fc.record(
  { jsonrpc: fc.oneof(fc.constant('2.0'), plain), id, method: plain, params: plain },
  { requiredKeys: [] },
);
const note = fc
  .tuple(fc.constantFrom('notifications/initialized', 'notifications/none'), params)
  .map(([method, given]) => ({ jsonrpc: '2.0', method, params: given }));
const message = fc.oneof(
  { weight: 6, arbitrary: request },
  { weight: 1, arbitrary: odd },
  { weight: 1, arbitrary: note },
  { weight: 1, arbitrary: fc.array(fc.oneof(request, note), { maxLength: 4 }) },
  { weight: 1, arbitrary: plain },
);
const heads = fc.oneof(
  { weight: 8, arbitrary: fc.constant({}) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Record<string, string>>(
      { accept: '*/*' },
      { accept: 'application/json' },
      { accept: 'text/html' },
      { 'content-type': 'text/plain' },
      { 'content-type': 'Application/JSON; charset=utf-8' },
      { 'mcp-protocol-version': '2025-06-18' },
      { 'mcp-protocol-version': 'never' },
      { 'mcp-session-id': 'none' },
      { 'payment-signature': 'e30=' },
      { 'x-payment': 'e30=' },
    ),
  },
);

/** Sessions of random messages, most of them well formed. */
export const anyStory: fc.Arbitrary<Story> = fc
  .tuple(fc.constantFrom(...VERSIONS), fc.array(fc.tuple(message, heads), { maxLength: 6 }))
  .map(([version, sent]) => ({
    name: `a random session in ${version}`,
    version,
    steps: sent.map(([body, head]): Sent => post(body, head)),
  }));
