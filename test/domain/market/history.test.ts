import { expect, test } from 'vitest';
import { analyzeSeasonality } from '../../../src/domain/market/history.ts';

const DAY_MS = 86_400_000;

test('seasons of days run from Monday to Sunday', () => {
  const candles = Array.from({ length: 60 }, (_, day) => {
    const price = String(100 + (day % 5));
    const prices = { open: price, high: price, low: price, close: price };
    return { at: day * DAY_MS, ...prices, volume: '1' };
  });
  expect(analyzeSeasonality(candles, '1d').map(({ bucket }) => bucket)).toEqual([
    ...['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'],
  ]);
});
