import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { MicroUsdText } from '../../../src/domain/common/money.ts';
import type { PaymentRequired } from '../../../src/domain/payment/payment.ts';
import {
  challengeResult,
  maskLoginHints,
} from '../../../src/transport/mcp/call/challenge-result.ts';
import { serializeOutcome } from '../../../src/transport/mcp/call/outcome.ts';
import { stdioPair } from '../../support/stdio-pair.ts';
import { CHALLENGE, testService } from '../../support/tool-service.ts';
import { claimer } from './each-engine.ts';
import { Wire } from './wire.ts';

/** What clients look for in the text of an error before they start a login. */
const LOGIN = /401|unauthorized|invalid_token|forbidden/i;
const SENTENCE = /^This call costs \$0\.01 and you were not charged: .*`_meta\["x402\/payment"\]`/;
const TRAP = { ...CHALLENGE, extensions: { key: '0x4014401403', why: 'Unauthorized, FORBIDDEN' } };

function textsOf(required: PaymentRequired): readonly string[] {
  const { content } = challengeResult(required);
  return content.map((block) => (block.type === 'text' ? block.text : ''));
}

test('the sentence has price, no charge and the way to pay, then comes the challenge', () => {
  const [sentence = '', json = '', ...more] = textsOf(CHALLENGE);
  expect(sentence).toMatch(SENTENCE);
  expect(sentence.split('\n')).toHaveLength(1);
  expect(JSON.parse(json)).toEqual(CHALLENGE);
  expect(more).toEqual([]);
  const price = (amount: string) =>
    textsOf({ ...CHALLENGE, accepts: CHALLENGE.accepts.map((one) => ({ ...one, amount })) })[0];
  expect(price('2000000' as MicroUsdText)).toContain('costs $2.00 and');
  expect(price('1250' as MicroUsdText)).toContain('costs $0.00125 and');
});

test.for([
  ['Payment required', undefined, /^This call costs/],
  ['PAYMENT_PENDING: not final', 'PAYMENT_PENDING', /^Your payment is still being settled: do not/],
  [
    'PAYMENT_EXPIRED: The authorization\nhas expired.',
    'PAYMENT_EXPIRED',
    /^Your payment was refused \(PAYMENT_EXPIRED\): The authorization has expired\.$/,
  ],
  ['PAYMENT_FUNDS: Too little.', undefined, /^Your payment was refused \(PAYMENT_FUNDS\): Too l/],
  ['This server uses x402 version 2.', undefined, /^This server uses x402 version 2\.$/],
] as const)('the error "%s" is told in a sentence', ([error, code, wanted]) => {
  const required = { ...CHALLENGE, error, ...(code === undefined ? {} : { code }) };
  const [sentence = ''] = textsOf(required);
  expect(sentence).toMatch(wanted);
  if (!sentence.startsWith('This call')) expect(sentence).not.toContain('charged');
});

test('a challenge without an offer never names a price', () => {
  expect(textsOf({ ...CHALLENGE, accepts: [] })[0]).toBe(CHALLENGE.error);
});

test('no login hint is left in a challenge, and it parses to the same value', () => {
  const [, json = ''] = textsOf(TRAP);
  expect(json).not.toMatch(LOGIN);
  expect(JSON.parse(json)).toEqual(TRAP);
  const outcome = { kind: 'payment_required', required: TRAP, status: 402 } as const;
  for (const carrier of ['status', 'in_band'] as const) {
    const sent = serializeOutcome(1, outcome, { carrier, hasLegacyPayment: false }).json;
    expect(sent).not.toMatch(LOGIN);
    expect(JSON.parse(sent).result.structuredContent).toEqual(TRAP);
    expect(JSON.parse(sent).result.content[1].text).toBe(json);
  }
});

test('masked JSON has no hint and the same value, whatever it holds', () => {
  const hint = fc.constantFrom(
    '401',
    '40',
    '1',
    '403',
    'Unauthorized',
    'invalid_token',
    '\\u',
    '"',
  );
  const odd = fc.constantFrom('\u0014', '\ud840', '\u0401', '\n', '\\', 'd', '0');
  const text = fc.array(fc.oneof(hint, odd)).map((parts) => parts.join(''));
  fc.assert(
    fc.property(fc.array(fc.dictionary(text, text)), (value) => {
      const once = maskLoginHints(JSON.stringify(value));
      const twice = maskLoginHints(JSON.stringify({ text: once, value }));
      expect(once).not.toMatch(LOGIN);
      expect(twice).not.toMatch(LOGIN);
      expect(JSON.parse(twice)).toEqual({ text: once, value });
      expect(JSON.parse(once)).toEqual(value);
    }),
  );
});

const claim = claimer();
const MODERN = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 't', version: '1' },
};

claim('every carrier sends the sentence first', async ({ rig, wire }) => {
  const two = new Wire(rig, '/mcp');
  await two.open();
  const modern = new Wire(rig, '/mcp');
  const params = { name: 'paid', arguments: {}, _meta: MODERN };
  const asked = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
  const headers = {
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': 'paid',
  };
  const bodies = [
    await (await wire.call('paid')).text(),
    await (await two.call('paid')).text(),
    await (await modern.post(asked, { headers })).text(),
  ];
  for (const body of bodies) expectSentenceFirst(body);
});

test('stdio sends the sentence first, in either era', async () => {
  const clientInfo = { name: 't', version: '1' };
  const opening = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
  const session = stdioPair(testService());
  session.send({ jsonrpc: '2.0', id: 0, method: 'initialize', params: opening });
  await session.next();
  session.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  const modern = stdioPair(testService());
  for (const [pair, meta] of [
    [session, {}],
    [modern, { _meta: MODERN }],
  ] as const) {
    const params = { name: 'paid', arguments: {}, ...meta };
    pair.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
    expectSentenceFirst(JSON.stringify(await pair.next()));
    await pair.end();
  }
});

function expectSentenceFirst(body: string): void {
  const { result } = JSON.parse(body);
  expect(result.isError).toBe(true);
  expect(result.content).toHaveLength(2);
  expect(result.content[0].text).toMatch(SENTENCE);
  expect(JSON.parse(result.content[1].text)).toEqual(CHALLENGE);
  expect(result.structuredContent).toEqual(CHALLENGE);
  expect(body.indexOf('"content"')).toBeLessThan(body.indexOf('"structuredContent"'));
}
