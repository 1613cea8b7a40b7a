import { describe, expect, test } from 'vitest';
import { ReputationLedger } from '../../../src/domain/reputation/ledger.ts';
import { Reputation } from '../../../src/domain/reputation/view.ts';
import { between, MadeFeed, walletOf } from '../../support/job-events.ts';
import { proves } from '../../support/proves.ts';
import { seeded } from '../../support/seeded.ts';

const SELLER = 1;

function recordOf(feed: MadeFeed, wallet = SELLER): Reputation {
  const ledger = new ReputationLedger();
  for (const event of feed.events) ledger.process(event);
  return Reputation.parse(ledger.reputationFor(walletOf(wallet)));
}

describe('what counts', () => {
  test('a wallet without history has score 0 and badge none', () => {
    const feed = new MadeFeed();
    expect(recordOf(feed)).toMatchObject({
      score: 0,
      badge: 'none',
      settled_jobs: 0,
      settled_usd: '0.00',
      first_settled_at: null,
      excluded: { jobs: 0, reasons: [] },
      as_of: { events: 0 },
    });
  });

  test('settled jobs of different buyers make the record of the provider', () => {
    const feed = new MadeFeed();
    for (let n = 0; n < 12; n += 1) feed.released({ buyer: 100 + n, provider: SELLER, day: 9 * n });
    expect(recordOf(feed)).toMatchObject({
      score: 64,
      badge: 'bronze',
      settled_jobs: 12,
      settled_usd: '240.00',
      fees_paid_usd: '48.00',
      distinct_counterparties: 12,
      as_of: { events: 12 },
      parts: { volume: 10.702, quality: 28.235, diversity: 15, chain: 10.587 },
      first_settled_at: '2026-01-01T00:00:00.000Z',
      last_settled_at: '2026-04-10T00:00:00.000Z',
    });
    expect(recordOf(feed, 100)).toMatchObject({
      score: 0,
      badge: 'none',
      settled_jobs: 0,
      as_buyer: { settled_jobs: 1, settled_usd: '20.00' },
    });
  });

  test('only settled jobs give points: posted, open, refunded and expired ones give none', () => {
    proves('C2.t2.c4');
    const feed = new MadeFeed();
    const job = { buyer: 2, provider: SELLER };
    feed.refunded(job, 'given_back');
    feed.refunded(job, 'undecided');
    feed.expired(job);
    feed.disputed(job);
    expect(recordOf(feed)).toMatchObject({ score: 0, refunds: 2, unfulfilled: 0, disputes: 1 });
    expect(recordOf(feed, 2).as_buyer).toMatchObject({ disputes: 1, left_unpaid: 1 });
  });

  test('pay-on-release work gives no points for escrow, and a late release settles the debt', () => {
    const feed = new MadeFeed();
    const job = { buyer: 2, provider: SELLER };
    const plain = { funding: 'on_release', bid_id: null };
    feed.expired({ ...job, over: plain });
    expect(recordOf(feed, 2).as_buyer.left_unpaid).toBe(1);
    feed.released({ ...job, over: { ...plain, is_late: true } });
    expect(recordOf(feed, 2).as_buyer.left_unpaid).toBe(0);
    expect(recordOf(feed).parts).toMatchObject({ chain: 0, quality: expect.closeTo(6.666, 3) });
  });
});

describe('what is held against an agent', () => {
  function seasoned(): MadeFeed {
    const feed = new MadeFeed();
    for (let n = 0; n < 20; n += 1) feed.released({ buyer: 100 + n, provider: SELLER, day: 5 * n });
    return feed;
  }
  const job = { buyer: 50, provider: SELLER };

  test('a lost dispute costs points, a won one only the buyer who lost it', () => {
    const [won, lost, before] = [seasoned(), seasoned(), recordOf(seasoned()).score];
    won.disputed(job);
    won.decided(job, 'provider');
    lost.disputed(job);
    lost.decided(job, 'buyer');
    expect(recordOf(won)).toMatchObject({ score: before, disputes: 1, lost_disputes: 0 });
    expect(recordOf(won, 50).as_buyer).toMatchObject({ disputes: 1, lost_disputes: 1 });
    expect(recordOf(lost).score).toBeLessThan(before);
    expect(recordOf(lost)).toMatchObject({ disputes: 1, lost_disputes: 1 });
  });

  test('work that it bid for and did not deliver costs points; work it never agreed to does not', () => {
    const [bid, direct, before] = [seasoned(), seasoned(), recordOf(seasoned()).score];
    bid.refunded(job);
    direct.refunded({ ...job, over: { bid_id: null } });
    expect(recordOf(bid)).toMatchObject({ refunds: 1, unfulfilled: 1 });
    expect(recordOf(bid).score).toBeLessThan(before);
    expect(recordOf(direct)).toMatchObject({ score: before, refunds: 1, unfulfilled: 0 });
  });

  test('work on release that lapsed costs as much as work in escrow that was not delivered', () => {
    const [held, lapsed, direct] = [seasoned(), seasoned(), seasoned()];
    held.refunded(job);
    lapsed.lapsed(job);
    direct.lapsed({ ...job, over: { bid_id: null } });
    expect(recordOf(lapsed)).toMatchObject({ refunds: 0, unfulfilled: 1 });
    expect(recordOf(lapsed).score).toBe(recordOf(held).score);
    expect(recordOf(direct)).toMatchObject({ score: recordOf(seasoned()).score, unfulfilled: 0 });
  });

  test('a circle with the one who won does not wash a lost dispute away', () => {
    const feed = seasoned();
    feed.decided(job, 'buyer');
    const before = recordOf(feed);
    feed.released({ buyer: 50, provider: SELLER });
    feed.released({ buyer: SELLER, provider: 50 });
    expect(recordOf(feed)).toMatchObject({ score: before.score, lost_disputes: 1 });
  });
});

describe('what counts nothing', () => {
  test('a wallet that pays itself gains nothing, and is told so', () => {
    const feed = new MadeFeed();
    feed.released({ buyer: SELLER, provider: SELLER });
    expect(recordOf(feed)).toMatchObject({
      score: 0,
      settled_jobs: 0,
      excluded: { jobs: 1, reasons: [{ reason: 'self_dealing', jobs: 1, usd: '20.00' }] },
    });
  });

  test('a job released before anything was handed in gives nothing, and closes no circle', () => {
    const feed = new MadeFeed();
    feed.released({ buyer: 2, provider: SELLER });
    const before = recordOf(feed).score;
    feed.released({ buyer: SELLER, provider: 2, over: { deliverable_sha256: null } });
    expect(before).toBeGreaterThan(0);
    expect(recordOf(feed).score).toBe(before);
    expect(recordOf(feed, 2).excluded.reasons).toEqual([
      { reason: 'nothing_delivered', jobs: 1, usd: '20.00' },
    ]);
  });

  test('the payment that closes a circle takes the points of all who are in it', () => {
    const ledger = new ReputationLedger();
    const feed = new MadeFeed();
    ledger.process(feed.released({ buyer: 1, provider: 2 }));
    ledger.process(feed.released({ buyer: 2, provider: 3 }));
    ledger.process(feed.released({ buyer: 9, provider: 3 }));
    expect(ledger.reputationFor(walletOf(3)).settled_jobs).toBe(2);
    ledger.process(feed.released({ buyer: 3, provider: 1 }));
    expect(ledger.reputationFor(walletOf(2))).toMatchObject({ score: 0, excluded: { jobs: 1 } });
    expect(ledger.reputationFor(walletOf(3))).toMatchObject({
      settled_jobs: 1,
      excluded: { jobs: 1 },
    });
  });
});

/** What happens next in a made market: mostly a settled job, sometimes a refund or a verdict. */
function happen(feed: MadeFeed, random: () => number, wallets: number): void {
  const job = {
    buyer: between(random, 1, wallets),
    provider: between(random, 1, wallets),
    price: BigInt(between(random, 1, 30_000_000)),
    day: feed.events.length,
  };
  const what = random();
  if (what < 0.8) feed.released(job);
  else if (what < 0.9) feed.refunded(job);
  else feed.decided(job, what < 0.95 ? 'buyer' : 'provider');
}

test('asked between events or only at the end, in whatever order, the record is the same', () => {
  for (let seed = 1; seed <= 60; seed += 1) {
    const random = seeded(seed);
    const feed = new MadeFeed();
    const asked = new ReputationLedger();
    const wallets = between(random, 2, 9);
    for (let n = 0; n < 40; n += 1) {
      happen(feed, random, wallets);
      for (const event of feed.events.slice(asked.events)) asked.process(event);
      asked.reputationFor(walletOf(between(random, 1, wallets)));
    }
    for (let wallet = 1; wallet <= wallets; wallet += 1) {
      expect(asked.reputationFor(walletOf(wallet)), `seed ${seed}`).toEqual(recordOf(feed, wallet));
    }
  }
});

test('events of other types, and of a known type with data that do not fit, change no record', () => {
  const feed = new MadeFeed();
  feed.released({ buyer: 2, provider: SELLER });
  const before = recordOf(feed);
  const [good] = feed.events;
  if (good === undefined) throw new Error('one was made');
  feed.events.push({ ...good, seq: 1, type: 'job.fulfilled' });
  feed.events.push({ ...good, seq: 2, data: { ...good.data, price: '-5' } });
  feed.events.push({ ...good, seq: 3, data: {} });
  expect(recordOf(feed)).toEqual({ ...before, as_of: { events: 4 } });
});
