import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createDataFailure, type DataFailure } from '../../../src/domain/data/data-failure.ts';
import type { UnnumberedSource } from '../../../src/domain/data/source.ts';
import type { Candle } from '../../../src/domain/market/candles.ts';
import { splitIntoPages } from '../../../src/domain/market/venue/venue.ts';
import { CANDLE_PAGES_MAX, readCandlePages } from '../../../src/providers/market/exchanges.ts';

const HOUR = 3_600_000;
const NOW = Date.parse('2026-11-01T00:00:00.000Z');

/** A stretch of hours in the past, how many of them an answer holds, and which are not there. */
const asked = fc.record({
  hours: fc.integer({ min: 1, max: 300 }),
  back: fc.integer({ min: 0, max: 1_000 }),
  perPage: fc.integer({ min: 15, max: 400 }),
  missing: fc.uniqueArray(fc.nat(300), { maxLength: 40 }),
  /** Hours before and behind a page that an exchange tells too. */
  spill: fc.integer({ min: 0, max: 3 }),
});

function stretchOf({ hours, back }: { readonly hours: number; readonly back: number }) {
  const to = NOW - back * HOUR;
  return { from: to - hours * HOUR, to };
}

function candleAt(at: number): Candle {
  const price = String(100 + ((at / HOUR) % 50));
  return { at, open: price, high: price, low: price, close: price, volume: '1' };
}

const source = (page: number): UnnumberedSource => ({
  upstream: 'made',
  url: `https://made.example/${page}`,
  sha256: '0'.repeat(64),
  bytes: 1,
  retrieved_at: new Date(NOW).toISOString(),
  revalidated_at: null,
  http_status: 200,
  from_cache: false,
});

test('pages join without a gap or a moment twice, and none is too large', () => {
  fc.assert(
    fc.property(asked, ({ perPage, ...of }) => {
      const stretch = stretchOf(of);
      const pages = splitIntoPages(stretch, perPage * HOUR);
      expect(pages[0]?.from).toBe(stretch.from);
      expect(pages.at(-1)?.to).toBe(stretch.to);
      pages.forEach(({ from, to }, at) => {
        expect(to - from).toBeGreaterThan(0);
        expect(to - from).toBeLessThanOrEqual(perPage * HOUR);
        expect(pages[at + 1]?.from ?? stretch.to).toBe(to);
      });
    }),
  );
});

test('whatever the size of a page, the candles are those of one answer, each page a source', async () => {
  await fc.assert(
    fc.asyncProperty(asked, async ({ perPage, missing, spill, ...of }) => {
      const stretch = stretchOf(of);
      const gone = new Set(missing.map((hour) => stretch.from + hour * HOUR));
      const hoursIn = ({ from, to }: { readonly from: number; readonly to: number }) =>
        Array.from({ length: (to - from) / HOUR }, (_, hour) => from + hour * HOUR)
          .filter((at) => !gone.has(at))
          .map(candleAt);
      const pages = splitIntoPages(stretch, perPage * HOUR);
      let requests = 0;
      const reading = await readCandlePages({
        venue: 'made',
        interval: '1h',
        range: stretch,
        pages: pages.map(({ from, to }) => async () => {
          requests += 1;
          const value = hoursIn({ from: from - spill * HOUR, to: to + spill * HOUR });
          return { ok: true, value, source: source(requests) };
        }),
      });
      if (!reading.ok) throw new Error(JSON.stringify(reading.fault));
      expect(reading.candles).toEqual(hoursIn(stretch));
      expect(reading.sources).toHaveLength(pages.length);
    }),
  );
});

test('a page that fails is the answer, and no page behind it is asked', async () => {
  const fault: DataFailure = createDataFailure('rate_limited', {
    upstream: 'made',
    detail: 'HTTP 429',
  });
  const some = asked.chain((of) => fc.tuple(fc.constant(of), fc.nat()));
  await fc.assert(
    fc.asyncProperty(some, async ([{ perPage, ...of }, chosen]) => {
      const stretch = stretchOf(of);
      const pages = splitIntoPages(stretch, perPage * HOUR);
      const bad = chosen % pages.length;
      let requests = 0;
      const reading = await readCandlePages({
        venue: 'made',
        interval: '1h',
        range: stretch,
        pages: pages.map(() => async () => {
          requests += 1;
          if (requests === bad + 1) return { ok: false, fault };
          return { ok: true, value: [], source: source(requests) };
        }),
      });
      expect([reading, requests]).toEqual([{ ok: false, fault }, bad + 1]);
    }),
  );
});

test('more pages than are read in one call are refused before one is asked', async () => {
  let requests = 0;
  const reading = await readCandlePages({
    venue: 'made',
    interval: '1h',
    range: { from: 0, to: HOUR },
    pages: Array.from({ length: CANDLE_PAGES_MAX + 1 }, () => async () => {
      requests += 1;
      return { ok: true, value: [], source: source(requests) };
    }),
  });
  expect(reading).toMatchObject({ ok: false, fault: { code: 'invalid_input' } });
  expect(requests).toBe(0);
});
