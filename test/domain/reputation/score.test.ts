import { describe, expect, test } from 'vitest';
import {
  type CountedWork,
  computeCountedValue,
  computeParts,
  computeScore,
  computeWeight,
  toBadge,
} from '../../../src/domain/reputation/score.ts';
import { between } from '../../support/job-events.ts';
import { seeded } from '../../support/seeded.ts';

const DOLLAR = 1_000_000n;
const DAY_MS = 86_400_000;
const NOTHING: CountedWork = {
  value: 0n,
  weight: 0n,
  escrowedWeight: 0n,
  counterpartyValue: 0n,
  badWeight: 0n,
  ageMs: 0,
};

/** Jobs of $20 each, escrowed, from different buyers, over 90 days. */
function jobs(count: bigint): CountedWork {
  const value = count * 20n * DOLLAR;
  const counterparties = count < 10n ? count : 10n;
  return {
    value,
    weight: value,
    escrowedWeight: value,
    badWeight: 0n,
    counterpartyValue: counterparties * 5n * DOLLAR,
    ageMs: 90 * DAY_MS,
  };
}

describe('points', () => {
  test('no work gives no point', () => {
    expect(computeParts(NOTHING)).toEqual({ volume: 0n, quality: 0n, diversity: 0n, chain: 0n });
    expect(computeParts({ ...NOTHING, ageMs: 1e12, badWeight: DOLLAR })).toEqual(
      computeParts(NOTHING),
    );
    expect(toBadge(computeScore(computeParts(NOTHING)))).toBe('none');
  });

  test('the example of docs/reputation.md comes out as it is written there', () => {
    const parts = computeParts(jobs(12n));
    expect(parts).toEqual({
      volume: 10_702n,
      quality: 28_235n,
      diversity: 15_000n,
      chain: 10_587n,
    });
    expect(computeScore(parts)).toBe(64);
  });

  test.each([
    [5n, 'none'],
    [9n, 'bronze'],
    [17n, 'silver'],
    [43n, 'gold'],
  ] as const)('%d jobs of 20 dollars from as many buyers make %s', (count, badge) => {
    expect(toBadge(computeScore(computeParts(jobs(count))))).toBe(badge);
  });

  test('a lost dispute weighs three jobs, and is never made up for by age', () => {
    const clean = computeScore(computeParts(jobs(17n)));
    const lost = computeScore(computeParts({ ...jobs(17n), badWeight: 60n * DOLLAR }));
    expect([clean, lost]).toEqual([70, 65]);
  });

  test('no part exceeds its most, and no score 100', () => {
    const parts = computeParts({ ...jobs(10n ** 9n), ageMs: 1e12 });
    expect(parts).toMatchObject({ volume: 30_000n, diversity: 15_000n });
    expect(parts.quality).toBeLessThanOrEqual(40_000n);
    expect(parts.chain).toBeLessThanOrEqual(15_000n);
    expect(computeScore(parts)).toBeLessThanOrEqual(100);
  });
});

describe('what points cost', () => {
  test('a job counts for five times its fee at most: without a fee for nothing', () => {
    expect(computeCountedValue(20n * DOLLAR, 4n * DOLLAR)).toBe(20n * DOLLAR);
    expect(computeCountedValue(20n * DOLLAR, DOLLAR)).toBe(5n * DOLLAR);
    expect(computeCountedValue(20n * DOLLAR, 0n)).toBe(0n);
    expect(computeWeight(1_000n * DOLLAR)).toBe(20n * DOLLAR);
  });

  test('whatever the jobs, every point has cost 0.20 dollars in fees or more', () => {
    for (let seed = 1; seed <= 5_000; seed += 1) {
      const random = seeded(seed);
      // The best case for whoever pays the fees: no job is larger than what weighs in full.
      const value = BigInt(Math.floor(10 ** (random() * 10)));
      const most = value < 50n * DOLLAR ? value : 50n * DOLLAR;
      const parts = computeParts({
        value,
        weight: value,
        escrowedWeight: value,
        badWeight: 0n,
        counterpartyValue: most,
        ageMs: between(random, 0, 200) * DAY_MS,
      });
      const fees = value / 5n;
      const milliPoints = parts.volume + parts.quality + parts.diversity + parts.chain;
      // 1000 thousandths of a point cost 200,000 micro-dollars.
      expect(milliPoints * 200n, `seed ${seed}`).toBeLessThanOrEqual(fees + 200n);
    }
  });

  test.each([
    [112n, 'bronze'],
    [324n, 'silver'],
    [851n, 'gold'],
  ] as const)(
    '%d dollars of work is the least that buys %s, as the documents say',
    (usd, badge) => {
      const bought = (dollars: bigint) => {
        const value = dollars * DOLLAR;
        const shared = { counterpartyValue: 50n * DOLLAR, badWeight: 0n, ageMs: 90 * DAY_MS };
        const work = { ...shared, value, weight: value, escrowedWeight: value };
        return toBadge(computeScore(computeParts(work)));
      };
      expect(bought(usd)).toBe(badge);
      expect(bought(usd - 1n)).not.toBe(badge);
    },
  );

  test('thresholds of badges are inclusive', () => {
    const badges = [49, 50, 69, 70, 84, 85, 100].map(toBadge);
    expect(badges).toEqual(['none', 'bronze', 'bronze', 'silver', 'silver', 'gold', 'gold']);
  });
});
