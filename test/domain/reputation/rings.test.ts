import { describe, expect, test } from 'vitest';
import { ReputationLedger } from '../../../src/domain/reputation/ledger.ts';
import { between, MadeFeed, walletOf } from '../../support/job-events.ts';
import { seeded } from '../../support/seeded.ts';

const DOLLAR = 1_000_000n;

function ledgerOf(feed: MadeFeed): ReputationLedger {
  const ledger = new ReputationLedger();
  for (const event of feed.events) ledger.process(event);
  return ledger;
}

/** Wallets that pay each other round and round: a circle through all, and random flows in it. */
function ring(feed: MadeFeed, random: () => number, members: readonly number[]): void {
  const price = () => BigInt(between(random, 1, 500)) * (random() < 0.2 ? 1n : DOLLAR);
  members.forEach((buyer, at) => {
    const provider = members[(at + 1) % members.length] ?? buyer;
    feed.released({ buyer, provider, price: price(), day: between(random, 0, 300) });
  });
  for (let n = 0; n < members.length * 4; n += 1) {
    const buyer = members[between(random, 0, members.length - 1)] ?? 0;
    const provider = members[between(random, 0, members.length - 1)] ?? 0;
    feed.released({ buyer, provider, price: price(), day: between(random, 0, 300) });
  }
}

describe('rings of fresh wallets', () => {
  test('circular flows among 2 to 50 fresh wallets gain exactly nothing', () => {
    for (let size = 2; size <= 50; size += 1) {
      for (let seed = 1; seed <= 5; seed += 1) {
        const feed = new MadeFeed();
        const members = Array.from({ length: size }, (_, n) => 1_000 + n);
        ring(feed, seeded(size * 100 + seed), members);
        const ledger = ledgerOf(feed);
        for (const member of members) {
          const told = ledger.reputationFor(walletOf(member));
          expect(told, `ring of ${size}, seed ${seed}`).toMatchObject({
            score: 0,
            badge: 'none',
            settled_jobs: 0,
            settled_usd: '0.00',
            parts: { volume: 0, quality: 0, diversity: 0, chain: 0 },
          });
          expect(told.excluded.jobs).toBeGreaterThan(0);
        }
      }
    }
  });

  test('a ring beside honest trade leaves every honest record as it was', () => {
    const honest = new MadeFeed();
    for (let n = 0; n < 30; n += 1) {
      honest.released({ buyer: 100 + (n % 7), provider: 1 + (n % 3), day: n });
    }
    const before = ledgerOf(honest);
    ring(honest, seeded(7), [500, 501, 502, 503]);
    const after = ledgerOf(honest);
    for (const wallet of [1, 2, 3, 100, 104]) {
      const { as_of: _, ...told } = after.reputationFor(walletOf(wallet));
      expect(told).toEqual(
        (({ as_of: _events, ...rest }) => rest)(before.reputationFor(walletOf(wallet))),
      );
    }
  });
});

describe('rings with money from outside', () => {
  test('fresh buyers that pay into a ring cost at least 0.20 dollars in fees a point', () => {
    for (let seed = 1; seed <= 200; seed += 1) {
      const random = seeded(seed);
      const size = between(random, 1, 20);
      const members = Array.from({ length: size }, (_, n) => 1_000 + n);
      const feed = new MadeFeed();
      if (size > 1) ring(feed, random, members);
      const mostly = between(random, 1, 400);
      for (let n = 0; n < mostly; n += 1) {
        const provider = members[between(random, 0, members.length - 1)] ?? 0;
        const price = BigInt(between(random, 1, 20_000_000));
        const buyer = 5_000 + between(random, 0, 40);
        feed.released({ buyer, provider, price, day: between(random, 0, 400) });
      }
      const ledger = ledgerOf(feed);
      for (const member of members) {
        const { score, fees_paid_usd: fees } = ledger.reputationFor(walletOf(member));
        expect(score * 0.2, `seed ${seed}`).toBeLessThanOrEqual(Number(fees));
      }
    }
  });

  test('gold costs at least 170 dollars in fees, 10 buyers and 90 days, as the documents say', () => {
    const cheapest = (jobs: number, buyers: number, days: number) => {
      const feed = new MadeFeed();
      for (let n = 0; n < jobs; n += 1) {
        feed.released({ buyer: 100 + (n % buyers), provider: 1, day: (days * n) / (jobs - 1) });
      }
      return ledgerOf(feed).reputationFor(walletOf(1));
    };
    expect(cheapest(43, 10, 90)).toMatchObject({ badge: 'gold', fees_paid_usd: '172.00' });
    expect(cheapest(42, 10, 90).badge).toBe('silver');
    expect(cheapest(43, 9, 90).badge).toBe('silver');
    expect(cheapest(43, 10, 80).badge).toBe('silver');
  });
});

test('100,000 events are read in half a minute at most, and an answer takes 50 ms at most', {
  timeout: 60_000,
}, () => {
  const random = seeded(42);
  const feed = new MadeFeed();
  for (let n = 0; n < 100_000; n += 1) {
    feed.released({
      buyer: between(random, 0, 5_000),
      provider: between(random, 0, 5_000),
      day: n / 400,
    });
  }
  const begun = performance.now();
  const ledger = ledgerOf(feed);
  const folded = performance.now();
  ledger.reputationFor(walletOf(1));
  const first = performance.now();
  for (let n = 0; n < 1_000; n += 1) ledger.reputationFor(walletOf(n));
  const asked = performance.now();
  expect(folded - begun).toBeLessThan(30_000);
  expect(first - folded).toBeLessThan(2_000);
  expect((asked - first) / 1_000).toBeLessThan(50);
});
