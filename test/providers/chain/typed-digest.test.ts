import fc from 'fast-check';
import { hashTypedData, toHex } from 'viem';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/domain/common/json.ts';
import type { TypedData } from '../../../src/domain/wallet/typed-data.ts';
import { typedDigest } from '../../../src/providers/chain/trust/typed-digest.ts';

const hex = (bytes: number) =>
  fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((value) => toHex(value));
const domain = fc.record(
  {
    name: fc.string(),
    // Without a version viem leaves the member out; here it is always there.
    version: fc.string({ minLength: 1, maxLength: 4 }),
    chainId: fc.nat(),
    verifyingContract: hex(20),
  },
  { requiredKeys: ['name', 'version', 'chainId'] },
);
const message = fc.record({
  who: hex(20),
  count: fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }).map(String),
  small: fc.integer({ min: 0, max: 255 }),
  below: fc.integer({ min: -128, max: 127 }),
  isSo: fc.boolean(),
  text: fc.string({ unit: 'binary' }),
  word: hex(32),
  four: hex(4),
  bytes: fc.uint8Array({ maxLength: 100 }).map((value) => toHex(value)),
  inner: fc.record({ name: fc.string(), value: fc.nat() }),
});
const types = {
  Outer: [
    { name: 'who', type: 'address' },
    { name: 'count', type: 'uint256' },
    { name: 'small', type: 'uint8' },
    { name: 'below', type: 'int8' },
    { name: 'isSo', type: 'bool' },
    { name: 'text', type: 'string' },
    { name: 'word', type: 'bytes32' },
    { name: 'four', type: 'bytes4' },
    { name: 'bytes', type: 'bytes' },
    { name: 'inner', type: 'Inner' },
  ],
  Inner: [
    { name: 'name', type: 'string' },
    { name: 'value', type: 'uint64' },
  ],
};

test('every digest is the one that viem computes', () => {
  fc.assert(
    fc.property(domain, message, (where, what) => {
      const data = { domain: where, types, primaryType: 'Outer', message: what } as TypedData;
      expect(toHex(typedDigest(data))).toBe(hashTypedData(data as never));
    }),
    { numRuns: 300 },
  );
});

test('a value that does not fit its type is refused by name', () => {
  const of = (type: string, value: unknown) =>
    typedDigest({
      domain: { name: 'a', version: '1', chainId: 1 },
      types: { One: [{ name: 'value', type }] },
      primaryType: 'One',
      message: { value } as JsonObject,
    });
  const bad: Readonly<Record<string, readonly unknown[]>> = {
    address: ['0x12', 5],
    uint8: [256, -1],
    int8: [128],
    uint256: ['1e3', `${2n ** 256n}`, undefined, 1.5],
    bool: ['true'],
    string: [1],
    bytes32: ['0x12'],
    bytes: ['no hex'],
    Two: [{}],
  };
  const pairs = Object.entries(bad).flatMap(([type, values]) =>
    values.map((value) => [type, value] as const),
  );
  for (const [type, value] of pairs) {
    expect(() => of(type, value), `${type} ${String(value)}`).toThrow(
      expect.objectContaining({ code: 'INPUT_INVALID' }),
    );
  }
});
