import { describe, expect, test } from 'vitest';
import {
  buildWalletRequest,
  computeRequestDigest,
  parseWalletHeader,
} from '../../../src/domain/wallet/wallet-request.ts';
import {
  isSignedByKey,
  signingWallet,
  TEST_DOMAIN,
  TEST_ORIGIN,
} from '../../support/signing-wallet.ts';

const asked = { method: 'POST', path: '/a2a/requests?src=x', body: '{"a":1}' };
const raw = { ...asked, body: Buffer.from(asked.body) };

function base64url(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

test('the typed data is what a client of its own has signed', async () => {
  const wallet = signingWallet();
  const claim = parseWalletHeader(await wallet.header(asked));
  const data = buildWalletRequest(raw, { ...claim, origin: TEST_ORIGIN }, TEST_DOMAIN);
  expect(await isSignedByKey(wallet.address, data, claim.signature)).toBe(true);
  expect(data.message['bodyHash']).toBe(
    '0x015abd7f5cc57a2dd94b7590f04ad8084273905ee33ec5cebeae62276a97f862',
  );
});

test.each([
  ['method', { ...raw, method: 'GET' }],
  ['path', { ...raw, path: '/a2a/requests?src=y' }],
  ['body', { ...raw, body: Buffer.from('{"a":2}') }],
])('another %s is not what was signed, and has another digest', async (_name, other) => {
  const wallet = signingWallet();
  const claim = parseWalletHeader(await wallet.header(asked));
  const data = buildWalletRequest(other, { ...claim, origin: TEST_ORIGIN }, TEST_DOMAIN);
  expect(await isSignedByKey(wallet.address, data, claim.signature)).toBe(false);
  expect(computeRequestDigest(other)).not.toBe(computeRequestDigest(raw));
});

describe('a header that cannot be read is refused with the place', () => {
  const good = {
    address: `0x${'1'.repeat(40)}`,
    origin: 'https://stoa.example',
    nonce: `0x${'2'.repeat(64)}`,
    expires_at: 1_800_000_000,
    signature: `0x${'3'.repeat(130)}`,
  };
  test.each([
    ['', ''],
    ['%%%', ''],
    ['bm8', ''],
    [base64url([good]), ''],
    [base64url({ ...good, more: 1 }), ''],
    [base64url({ ...good, address: '0x1' }), 'address'],
    [base64url({ ...good, nonce: `0x${'2'.repeat(62)}` }), 'nonce'],
    [base64url({ ...good, expires_at: '1800000000' }), 'expires_at'],
    [base64url({ ...good, expires_at: 1.5 }), 'expires_at'],
    [base64url({ ...good, origin: 7 }), 'origin'],
    [base64url({ ...good, origin: 'x'.repeat(301) }), 'origin'],
    [base64url({ ...good, signature: '0x' }), 'signature'],
    ['A'.repeat(8_193), ''],
  ])('%.60s', (header, path) => {
    let thrown: unknown;
    try {
      parseWalletHeader(header);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toMatchObject({ code: 'INPUT_INVALID', data: { received: { path } } });
  });

  test('a good one is read', () => {
    expect(parseWalletHeader(base64url(good))).toEqual(good);
  });
});
