import { expect, test } from 'vitest';
import {
  CANDLES_SHARED_MS,
  FEED_SHARED_MS,
  shareFeeds,
  shareMarkets,
} from '../../../src/providers/data/shared-answers.ts';
import { ToldSources } from '../../support/alert-sources.ts';

function rig() {
  let now = 1_000_000;
  const told = new ToldSources(() => now);
  const clock = { now: () => now, at: () => () => undefined };
  const feeds = shareFeeds(told.feeds, clock);
  const markets = shareMarkets(told.markets, clock);
  const pass = (ms: number) => {
    now += ms;
  };
  return { told, feeds, markets, pass };
}

const candles = { venue: 'kraken', pair: 'A/USD', interval: '1m', from: 0, to: 60_000 } as const;

test('equal questions are one for a while, other ones are their own', async () => {
  const { told, feeds, markets, pass } = rig();
  told.candles('kraken', []);
  told.items('a.example', []);
  const [feed, other] = feeds.feeds;
  if (feed === undefined || other === undefined) throw new Error('no feeds');
  await Promise.all([feeds.read(feed, 1), feeds.read(feed, 2), feeds.read(other, 1)]);
  expect(told.asked.splice(0)).toEqual(['feed a.example', 'feed b.example']);
  const order = { ...candles, deadline: 1 };
  await Promise.all([markets.candles(order), markets.candles({ ...order, deadline: 9 })]);
  await markets.candles({ ...order, from: 60_000 });
  expect(told.asked.splice(0)).toEqual(['candles kraken', 'candles kraken']);
  pass(CANDLES_SHARED_MS);
  await markets.candles(order);
  await feeds.read(feed, 1);
  expect(told.asked.splice(0)).toEqual(['candles kraken']);
  pass(FEED_SHARED_MS);
  await feeds.read(feed, 1);
  expect(told.asked).toEqual(['feed a.example']);
});

test('a failure is asked again by the next caller', async () => {
  const { told, markets } = rig();
  const order = { ...candles, deadline: 1 };
  expect((await markets.candles(order)).ok).toBe(false);
  told.candles('kraken', []);
  expect((await markets.candles(order)).ok).toBe(true);
  expect(told.asked).toHaveLength(2);
});

test('a caller who is gone does not end the question of others', async () => {
  const { told, markets } = rig();
  told.candles('kraken', []);
  const signal = AbortSignal.abort();
  expect((await markets.candles({ ...candles, deadline: 1, signal })).ok).toBe(true);
});
