import fc from 'fast-check';
import { hashTypedData, hexToBytes, recoverAddress, toHex } from 'viem';
import { privateKeyToAccount, sign } from 'viem/accounts';
import { expect, test } from 'vitest';
import type { Authorization } from '../../../src/domain/payment/payment.ts';
import { authorizationDigest } from '../../../src/providers/chain/digest.ts';
import { createDigestSigner, recoverSigner } from '../../../src/providers/chain/signature.ts';
import { createPayer, requirementsOf, typedData } from '../../support/payer.ts';
import { flipBit, highS } from '../../support/signature-damage.ts';

const ORDER_HEX = 'fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141';
const HALF = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;

const hex = (bytes: number) =>
  fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((made) => toHex(made));
const uint = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }).map(String);
const key = hex(32).filter((made) => BigInt(made) > 0n && BigInt(made) < BigInt(`0x${ORDER_HEX}`));
const authorization: fc.Arbitrary<Authorization> = fc.record({
  from: hex(20),
  to: hex(20),
  value: uint,
  validAfter: uint,
  validBefore: uint,
  nonce: hex(32),
});

test('the digest of an authorization equals the one of a general encoder', () => {
  const domain = fc.record({
    // The other encoder leaves out members that are empty or zero.
    name: fc.string({ minLength: 1 }),
    version: fc.string({ minLength: 1 }),
    chainId: fc.integer({ min: 1 }),
    token: hex(20),
  });
  fc.assert(
    fc.property(domain, authorization, (of, given) => {
      const { name, version, chainId, token } = of;
      const offer = { network: `eip155:${chainId}`, asset: token, extra: { name, version } };
      const expected = hashTypedData(typedData({ ...requirementsOf(FACTS), ...offer }, given));
      expect(toHex(authorizationDigest(of)(given))).toBe(expected);
    }),
  );
});

test('the signer is recovered as another library does', async () => {
  await fc.assert(
    fc.asyncProperty(key, hex(32), async (privateKey, digest) => {
      const signature = await sign({ hash: digest, privateKey, to: 'hex' });
      const recovered = recoverSigner(hexToBytes(digest), signature);
      expect(recovered).toBe((await recoverAddress({ hash: digest, signature })).toLowerCase());
      expect(recovered).toBe(privateKeyToAccount(privateKey).address.toLowerCase());
    }),
    { numRuns: 30 },
  );
});

test('what is signed here is read by another library, with the low s', async () => {
  await fc.assert(
    fc.asyncProperty(key, hex(32), async (privateKey, digest) => {
      const signer = createDigestSigner(privateKey);
      const signature = signer.sign(hexToBytes(digest));
      expect((await recoverAddress({ hash: digest, signature })).toLowerCase()).toBe(
        signer.address,
      );
      expect(BigInt(`0x${signature.slice(66, 130)}`) <= HALF).toBe(true);
    }),
    { numRuns: 30 },
  );
});

test('a second form of a good signature is refused', () => {
  fc.assert(
    fc.property(key, hex(32), (privateKey, digest) => {
      const signature = createDigestSigner(privateKey).sign(hexToBytes(digest));
      const v = Number.parseInt(signature.slice(-2), 16);
      const others = [
        highS(signature, ORDER_HEX),
        `${signature.slice(0, -2)}0${v - 27}`,
        `${signature.slice(0, -2)}${(v + 8).toString(16)}`,
        `${signature}00`,
        signature.slice(0, -2),
      ];
      for (const other of others) expect(recoverSigner(hexToBytes(digest), other)).toBeUndefined();
    }),
    { numRuns: 30 },
  );
});

test('a damaged signature never gives the same signer', () => {
  fc.assert(
    fc.property(key, hex(32), fc.nat(519), (privateKey, digest, bit) => {
      const signer = createDigestSigner(privateKey);
      const damaged = flipBit(signer.sign(hexToBytes(digest)), bit);
      expect(recoverSigner(hexToBytes(digest), damaged)).not.toBe(signer.address);
    }),
  );
});

const FACTS = {
  chainId: 1,
  network: 'eip155:1',
  rpcUrl: '',
  isLocal: false,
  token: createPayer().address,
  tokenName: 'name',
  tokenVersion: '1',
  treasury: createPayer().address,
};
