import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseDecimal } from '../../../src/domain/common/decimal.ts';
import { computeNetBps, walkBooks } from '../../../src/domain/market/arbitrage.ts';
import { validateSides } from '../../../src/domain/market/order-book.ts';

const figure = (max: number) =>
  fc.integer({ min: 1, max }).map((units) => (units / 1_000).toString());
const side = fc.array(fc.record({ price: figure(1_000_000), size: figure(100_000) }), {
  minLength: 1,
  maxLength: 30,
});
const fee = fc.integer({ min: 0, max: 100_000 }).map((units) => (units / 100).toString());

test('net is never more than gross, and no more is spent or taken than there is', () => {
  fc.assert(
    fc.property(side, side, figure(10_000_000), fc.tuple(fee, fee), (asks, bids, size, fees) => {
      const sorted = (rows: typeof asks, sign: number) =>
        [...rows].sort((one, other) => sign * (Number(one.price) - Number(other.price)));
      const found = walkBooks({ asks: sorted(asks, 1) }, { bids: sorted(bids, -1) }, size);
      if (found === undefined) return;
      const net = computeNetBps(found, { buy: fees[0], sell: fees[1] });
      expect(parseDecimal(net)).toBeLessThanOrEqual(parseDecimal(found.grossBps));
      const held = (rows: typeof asks) =>
        rows.reduce((sum, one) => sum + parseDecimal(one.size), 0n);
      expect(parseDecimal(found.base)).toBeLessThanOrEqual(held(asks));
      expect(parseDecimal(found.base)).toBeLessThanOrEqual(held(bids));
      // Rounding up may add a smallest unit for each level.
      const over = parseDecimal(found.spent) - parseDecimal(size);
      expect(over).toBeLessThanOrEqual(BigInt(asks.length + bids.length));
      expect(Number(found.entry)).toBeGreaterThanOrEqual(
        Number(sorted(asks, 1)[0]?.price) * 0.999999,
      );
      expect(Number(found.exit)).toBeLessThanOrEqual(Number(sorted(bids, -1)[0]?.price) * 1.000001);
    }),
  );
});

test('a sound book is ordered on both sides and not crossed', () => {
  fc.assert(
    fc.property(side, side, (bids, asks) => {
      const book = validateSides({ bids, asks });
      const best = (rows: typeof bids, pick: (...values: number[]) => number) =>
        pick(...rows.map(({ price }) => Number(price)));
      const isCrossed = best(bids, Math.max) > best(asks, Math.min);
      expect(book === undefined).toBe(isCrossed);
      if (book === undefined) return;
      const prices = (rows: typeof book.bids) => rows.map(({ price }) => Number(price));
      expect(prices(book.bids)).toEqual([...prices(bids)].sort((a, b) => b - a));
      expect(prices(book.asks)).toEqual([...prices(asks)].sort((a, b) => a - b));
    }),
  );
});
