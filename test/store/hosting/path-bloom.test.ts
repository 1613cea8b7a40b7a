import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bloomMayContain, createBloomFilter } from '../../../src/store/hosting/path-bloom.ts';

test('what is there is never told not to be there', () => {
  fc.assert(
    fc.property(fc.array(fc.string(), { maxLength: 300 }), (values) => {
      const bloom = createBloomFilter(new Set(values));
      expect(values.every((value) => bloomMayContain(bloom, value))).toBe(true);
    }),
  );
});

test('of what is not there one in twenty seems to be, at the most', () => {
  const path = (n: number): string => `/orders/${n}/items`;
  for (const size of [1, 10, 256]) {
    const bloom = createBloomFilter(new Set(Array.from({ length: size }, (_, n) => path(n))));
    const seeming = Array.from({ length: 5_000 }, (_, n) =>
      bloomMayContain(bloom, path(1_000 + n)),
    );
    expect(seeming.filter(Boolean).length).toBeLessThan(250);
  }
});
