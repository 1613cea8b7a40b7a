import fc from 'fast-check';
import { expect, test } from 'vitest';
import { computeWeightedMedian, splitOutliers } from '../../../src/domain/market/reference.ts';

/** Quotes as `price@volume`. */
function quotes(text: string) {
  return text.split(' ').map((one) => {
    const [last = '', volume = ''] = one.split('@');
    return { last, volume };
  });
}

test.each([
  ['10@1 10@1 15@90', '10', ['15']],
  ['10@1 10@1 10@1 9@400', '10', ['9']],
  ['0.00001@5 0.00001@5 0.000002@900', '0.00001', ['0.000002']],
  ['10@1 10@1 10.01@1', '10', []],
  ['100@5 101@5 100.5@7', '100.5', []],
  ['100@0 101@0 102@0', '101', []],
  ['100@1 102@99', '101', []],
  ['100@1', '100', []],
])('of %s the price is %s', (text, price, far) => {
  const { used, dropped } = splitOutliers(quotes(text));
  expect(computeWeightedMedian(used)).toBe(price);
  expect(dropped.map(({ last }) => last)).toEqual(far);
});

test('of two quotes that contradict each other neither is used', () => {
  expect(splitOutliers(quotes('100@10 160@50')).used).toEqual([]);
});

test('no venue alone moves the price out of what the others say, whatever its price and volume', () => {
  const price = fc.integer({ min: 9_000, max: 11_000 });
  const volume = fc.integer({ min: 0, max: 1_000 });
  const venue = fc.record({ price, volume });
  const wild = fc.record({ price: fc.nat(10_000_000), volume: fc.nat(1_000_000_000) });
  fc.assert(
    fc.property(fc.array(venue, { minLength: 2, maxLength: 8 }), wild, (honest, one) => {
      const all = [...honest, one].map((each) => ({
        last: String(each.price + 1),
        volume: String(each.volume),
      }));
      const { used } = splitOutliers(all);
      fc.pre(used.length > 0);
      const found = Number(computeWeightedMedian(used));
      const prices = honest.map((each) => each.price + 1);
      expect(found).toBeGreaterThanOrEqual(Math.min(...prices));
      expect(found).toBeLessThanOrEqual(Math.max(...prices));
    }),
    { numRuns: 500 },
  );
});
