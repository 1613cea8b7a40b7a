import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseTopic } from '../../../src/domain/news/topic.ts';
import { computeMean, estimateMean, toLabel } from '../../../src/domain/sentiment/estimate.ts';
import { filterOpinions } from '../../../src/domain/sentiment/filter-opinions.ts';
import type { Opinion } from '../../../src/domain/sentiment/opinion-channels.ts';

const score = fc.double({ min: -1, max: 1, noNaN: true });
const scores = fc.array(score, { minLength: 1, maxLength: 40 });

test('an interval holds its mean, stays within the scores, and is the same for the same scores', () => {
  fc.assert(
    fc.property(fc.array(scores, { minLength: 1, maxLength: 4 }), (groups) => {
      const { mean, low, high } = estimateMean(groups);
      expect(low).toBeLessThanOrEqual(mean);
      expect(high).toBeGreaterThanOrEqual(mean);
      const all = groups.flat();
      expect(low).toBeGreaterThanOrEqual(Math.min(...all) - 1e-9);
      expect(high).toBeLessThanOrEqual(Math.max(...all) + 1e-9);
      expect(estimateMean(groups)).toEqual({ mean, low, high });
    }),
    { numRuns: 30 },
  );
});

test('the interval is about as wide as theory says', () => {
  // 100 scores of -1 or 1, half each: the mean is 0 and its standard error 0.1.
  const halves = Array.from({ length: 100 }, (_, at) => (at % 2 === 0 ? 1 : -1));
  const { mean, low, high } = estimateMean([halves]);
  expect(mean).toBe(0);
  expect(low).toBeGreaterThan(-0.26);
  expect(low).toBeLessThan(-0.14);
  expect(high).toBeGreaterThan(0.14);
  expect(high).toBeLessThan(0.26);
});

test('channels weigh alike, however many texts they have', () => {
  const { mean } = estimateMean([Array.from({ length: 90 }, () => 1), [-1, -1, -1]]);
  expect(mean).toBe(0);
  expect(computeMean([1, 2, 3])).toBe(2);
});

test.each([
  [0.05, 'positive'],
  [0.04, 'neutral'],
  [-0.04, 'neutral'],
  [-0.05, 'negative'],
])('%d is %s', (value, label) => {
  expect(toLabel(value)).toBe(label);
});

const NOW = 1_000_000_000;
const opinion = (text: string, more: Partial<Opinion> = {}): Opinion => ({
  text,
  url: `https://x.example/${encodeURIComponent(text)}`,
  publishedAt: NOW - 1_000,
  author: null,
  isBot: false,
  lang: null,
  ...more,
});

test('copies, bots, other languages, one loud author and what is off topic are counted apart', () => {
  const loud = [1, 2, 3, 4, 5].map((at) => opinion(`Gold number ${at}`, { author: 'loud' }));
  const { kept, excluded } = filterOpinions(
    [
      ...loud,
      opinion('Gold is up'),
      opinion('GOLD is up! https://spam.example/7', { url: 'https://y.example/other' }),
      opinion('Gold is up', { url: 'https://x.example/Gold%20is%20up?utm_source=z' }),
      opinion('Gold by a program', { isBot: true }),
      opinion('Gold ist teuer', { lang: 'de' }),
      opinion('gold 黄金价格今天上涨了很多'),
      opinion('Silver is up'),
      opinion('Gold of old', { publishedAt: NOW - 10_000_000 }),
      opinion('Gold to come', { publishedAt: NOW + 10_000_000 }),
    ],
    { topic: parseTopic('gold'), from: NOW - 100_000, now: NOW },
  );
  expect(kept).toHaveLength(4);
  expect(excluded).toEqual({
    off_topic: 1,
    outside_window: 2,
    duplicates: 2,
    bots: 1,
    other_language: 2,
    same_author: 2,
  });
});
