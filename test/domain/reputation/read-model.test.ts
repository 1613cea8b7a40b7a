import { expect, test } from 'vitest';
import type { EventLog, PublicEvent } from '../../../src/domain/event/event-log.ts';
import { ReputationLedger } from '../../../src/domain/reputation/ledger.ts';
import { createReputationReader } from '../../../src/domain/reputation/read-model.ts';
import { MadeFeed, walletOf } from '../../support/job-events.ts';

/** A feed in memory that counts how many events were read. */
function logOf(events: readonly PublicEvent[]) {
  let reads = 0;
  const log: Pick<EventLog, 'size' | 'read'> = {
    get size() {
      return events.length;
    },
    read: (from, limit) => {
      const found = events.slice(from, from + limit);
      reads += found.length;
      return found;
    },
  };
  return { log: log as EventLog, reads: () => reads };
}

test('the first question reads the feed in turns, later ones only what came since', async () => {
  const feed = new MadeFeed();
  for (let n = 0; n < 1_200; n += 1) feed.released({ buyer: 100 + n, provider: 1, day: n / 10 });
  const { log, reads } = logOf(feed.events);
  let turns = 0;
  const of = createReputationReader(log, async () => {
    turns += 1;
  });
  expect((await of(walletOf(1))).settled_jobs).toBe(1_200);
  expect(turns).toBe(3);
  await of(walletOf(1));
  expect(reads()).toBe(1_200);
  feed.released({ buyer: 5, provider: 1 });
  expect(await of(walletOf(1))).toMatchObject({ settled_jobs: 1_201, as_of: { events: 1_201 } });
  expect(reads()).toBe(1_201);
});

test('questions that come while the feed is read get the same answer, and read it once', async () => {
  const feed = new MadeFeed();
  for (let n = 0; n < 1_000; n += 1) feed.released({ buyer: 100 + n, provider: 1 });
  const { log, reads } = logOf(feed.events);
  const of = createReputationReader(log, () => new Promise((done) => setImmediate(done)));
  const told = await Promise.all([of(walletOf(1)), of(walletOf(1)), of(walletOf(2))]);
  const ledger = new ReputationLedger();
  for (const event of feed.events) ledger.process(event);
  expect(told).toEqual([1, 1, 2].map((wallet) => ledger.reputationFor(walletOf(wallet))));
  expect(reads()).toBe(1_000);
});

test('a feed that cannot be read fails the question, and the next one tries again', async () => {
  const feed = new MadeFeed();
  feed.released({ buyer: 2, provider: 1 });
  const { log } = logOf(feed.events);
  let isBroken = true;
  const weak: EventLog = {
    ...log,
    size: 1,
    read: (from, limit) => {
      if (isBroken) throw new Error('no disk');
      return log.read(from, limit);
    },
  };
  const of = createReputationReader(weak, async () => undefined);
  await expect(of(walletOf(1))).rejects.toThrow('no disk');
  isBroken = false;
  expect((await of(walletOf(1))).settled_jobs).toBe(1);
});
