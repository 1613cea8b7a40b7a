import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createWalletAuth } from '../../../src/actors/wallet/wallet-auth.ts';
import type { WalletAuth } from '../../../src/domain/wallet/wallet-auth.ts';
import { openTrustStore, type TrustStore } from '../../../src/store/chain/trust-store.ts';
import { openWalletNonces } from '../../../src/store/wallet/wallet-nonces.ts';
import {
  isSignedByKey,
  signingWallet,
  TEST_DOMAIN,
  TEST_ORIGIN,
} from '../../support/signing-wallet.ts';
import { tempDir } from '../../support/temp-dir.ts';

const NOW_S = 1_800_000_000;
const asked = { method: 'POST', path: '/a2a/bids/b/accept', body: '{}' };
const sent = { ...asked, body: Buffer.from(asked.body) };
const wallet = signingWallet();
const nonce = `0x${'ab'.repeat(32)}`;
const time = { now: NOW_S * 1_000 };

let dir: ReturnType<typeof tempDir>;
let store: TrustStore;
let auth: WalletAuth;
beforeEach(() => {
  dir = tempDir();
  time.now = NOW_S * 1_000;
  open();
});
afterEach(async () => {
  await store.close();
  dir.remove();
});

function open(): void {
  store = openTrustStore({ path: dir.path });
  auth = createWalletAuth({
    trust: { isSignedBy: isSignedByKey },
    domain: TEST_DOMAIN,
    origins: () => [TEST_ORIGIN],
    nonces: openWalletNonces(store),
    clock: { now: () => time.now },
  });
}

function header(overrides: Parameters<typeof wallet.header>[1] = {}, request = asked) {
  return wallet.header(request, { expiresAt: NOW_S + 120, nonce, ...overrides });
}

describe('a signed request', () => {
  test('proves its wallet, in lower case, with the tag that it came with', async () => {
    const call = await auth.prove({ ...sent, header: await header(), src: 'news' });
    expect(call).toEqual({
      wallet: wallet.address,
      key: expect.stringContaining(nonce),
      src: 'news',
    });
  });

  test('is the same call again, at once and after a restart', async () => {
    const signed = { ...sent, header: await header() };
    const [first, second] = await Promise.all([auth.prove(signed), auth.prove(signed)]);
    expect(second).toEqual(first);
    await store.close();
    open();
    expect(await auth.prove(signed)).toEqual(first);
  });

  test('with the nonce of another request is refused, at once and after a restart', async () => {
    const other = { ...asked, body: '{"a":1}' };
    const stranger = { ...other, body: Buffer.from(other.body), header: await header({}, other) };
    const first = auth.prove({ ...sent, header: await header() });
    await expect(auth.prove(stranger)).rejects.toMatchObject({ code: 'WALLET_NONCE_USED' });
    await first;
    await store.close();
    open();
    await expect(auth.prove(stranger)).rejects.toMatchObject({ code: 'WALLET_NONCE_USED' });
  });

  test('of two wallets may have the same nonce', async () => {
    await auth.prove({ ...sent, header: await header() });
    const other = signingWallet();
    const theirs = await other.header(asked, { expiresAt: NOW_S + 120, nonce });
    const call = await auth.prove({ ...sent, header: theirs });
    expect(call.wallet).toBe(other.address);
  });
});

describe('refused, and nothing is remembered of it', () => {
  afterEach(() => expect(store.table('wallet-nonces').count()).toBe(0));

  test('without a header, with what is to be signed', async () => {
    await expect(auth.prove({ ...sent, header: undefined })).rejects.toMatchObject({
      code: 'WALLET_REQUIRED',
      data: { allowed: { sign: { domain: { chainId: 31_337 }, primaryType: 'WalletRequest' } } },
    });
  });

  test.each([
    ['expired now', NOW_S],
    ['expired long ago', NOW_S - 900],
    ['dated 301 s ahead', NOW_S + 301],
  ])('%s', async (_name, expiresAt) => {
    const signed = { ...sent, header: await header({ expiresAt }) };
    await expect(auth.prove(signed)).rejects.toMatchObject({
      code: 'WALLET_EXPIRED',
      data: { received: expiresAt, allowed: { after: NOW_S, to: NOW_S + 300 } },
    });
  });

  test.each([
    ['another path', { ...sent, path: '/a2a/bids/c/accept' }, {}],
    ['another method', { ...sent, method: 'GET' }, {}],
    ['another body', { ...sent, body: Buffer.from('{ }') }, {}],
    ['another chain', sent, { chainId: 1 }],
    ['another contract', sent, { verifyingContract: `0x${'9'.repeat(40)}` }],
    ['another wallet’s name', sent, { claim: { address: signingWallet().address } }],
    ['a later end than was signed', sent, { claim: { expires_at: NOW_S + 200 } }],
    ['another nonce than was signed', sent, { claim: { nonce: `0x${'cd'.repeat(32)}` } }],
  ])('signed for %s', async (_name, request, overrides) => {
    const signed = { ...request, header: await header(overrides) };
    await expect(auth.prove(signed)).rejects.toMatchObject({ code: 'WALLET_FORGED' });
  });
});

test.each([
  ['another server', { origin: 'https://other.example' }],
  ['the same host without tls', { origin: 'http://stoa.example' }],
  ['another port', { origin: `${TEST_ORIGIN}:8443` }],
  ['a longer name', { origin: `${TEST_ORIGIN}.evil.example` }],
  ['a path', { origin: `${TEST_ORIGIN}/` }],
  ['another spelling', { origin: TEST_ORIGIN.toUpperCase() }],
  ['nothing', { origin: '' }],
])('signed for %s, the request is refused with what is to be signed', async (_name, overrides) => {
  const error = await auth.prove({ ...sent, header: await header(overrides) }).catch((e) => e);
  expect(error).toMatchObject({
    code: 'WALLET_ORIGIN',
    data: { received: overrides.origin, allowed: { origin: [TEST_ORIGIN] } },
  });
});

test('signed without an origin, as before, the request is refused with what is to be signed', async () => {
  const old = await header({ claim: { origin: undefined } });
  const error = await auth.prove({ ...sent, header: old }).catch((e) => e);
  expect(error).toMatchObject({
    code: 'WALLET_ORIGIN',
    data: {
      received: null,
      allowed: { origin: [TEST_ORIGIN], sign: { primaryType: 'WalletRequest' } },
    },
  });
  expect(error.message).toContain('STOA_PUBLIC_URL');
});

test('a claim that names this origin over a signature for another is forged', async () => {
  const lying = await header({ origin: 'https://other.example', claim: { origin: TEST_ORIGIN } });
  await expect(auth.prove({ ...sent, header: lying })).rejects.toMatchObject({
    code: 'WALLET_FORGED',
  });
});

test('a request that holds 300 s is taken', async () => {
  await auth.prove({ ...sent, header: await header({ expiresAt: NOW_S + 300 }) });
});
