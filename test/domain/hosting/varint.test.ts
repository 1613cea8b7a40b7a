import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ByteReader, ByteWriter } from '../../../src/domain/hosting/varint.ts';

test('numbers are read as they were written, one behind the other', () => {
  const whole = fc.maxSafeNat();
  const signed = fc.integer();
  fc.assert(
    fc.property(fc.array(fc.tuple(whole, signed, fc.double())), (rows) => {
      const writer = new ByteWriter();
      for (const [one, two, three] of rows) writer.varint(one).signed(two).float64(three);
      const reader = new ByteReader(writer.bytes());
      for (const row of rows) {
        expect([reader.varint(), reader.signed(), reader.float64()]).toEqual([...row]);
      }
      expect(reader.isAtEnd).toBe(true);
    }),
  );
});

test('small numbers take one byte', () => {
  expect(new ByteWriter().varint(127).signed(-64).signed(63).bytes()).toHaveLength(3);
  expect(new ByteWriter().varint(128).bytes()).toEqual(Uint8Array.of(128, 1));
});

test('a row that ends too early, and what is no whole number, break a rule', () => {
  expect(() => new ByteReader(Uint8Array.of(200)).varint()).toThrow('ends too early');
  expect(() => new ByteReader(new Uint8Array(7)).float64()).toThrow('ends too early');
  for (const bad of [-1, 0.5, 2 ** 53]) {
    expect(() => new ByteWriter().varint(bad)).toThrow('a whole number from 0 up');
  }
});
