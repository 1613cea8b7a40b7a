import { join } from 'node:path';
import { keccak256, toHex } from 'viem';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  FEEDBACK_RETRY_MS,
  FeedbackWriter,
} from '../../../src/actors/reputation/feedback-writer.ts';
import type { PublicEvent } from '../../../src/domain/event/event-log.ts';
import type { PassportView } from '../../../src/domain/passport/passport.ts';
import { SimulatedClock } from '../../../src/runtime/timer/clock.ts';
import { openTrustStore, type TrustStore } from '../../../src/store/chain/trust-store.ts';
import { openFeedbackStore } from '../../../src/store/reputation/feedback-store.ts';
import {
  createMemoryPaymentChain,
  type MemoryPaymentChain,
} from '../../support/chain-memory/memory-chain.ts';
import { MadeFeed, walletOf } from '../../support/job-events.ts';
import { soon } from '../../support/proof-rig.ts';
import { tempDir } from '../../support/temp-dir.ts';

const PROVIDER = 7;
const BASE_URL = 'https://stoa.example';

let chain: MemoryPaymentChain;
let clock: SimulatedClock;
let store: TrustStore;
let folder: ReturnType<typeof tempDir>;
let custody: 'operator' | 'self';
let agentId: string;
const notices: string[] = [];
const writers: FeedbackWriter[] = [];

beforeEach(async () => {
  clock = new SimulatedClock(Date.UTC(2026, 0, 1));
  chain = createMemoryPaymentChain({ now: () => clock.now() });
  folder = tempDir();
  store = openTrustStore({ path: join(folder.path, 'trust') });
  custody = 'self';
  notices.length = 0;
  const minted = await chain.trust.identity.register({ token: 'a', uri: 'x', metadata: {} });
  if (minted.state !== 'done') throw new Error(minted.state);
  agentId = minted.result.agentId;
  await chain.trust.identity.transfer(agentId, walletOf(PROVIDER));
});
afterEach(async () => {
  await Promise.all(writers.splice(0).map((writer) => writer.stop()));
  await store.close();
  folder.remove();
});

/** Starts a process that writes, over the same disk and chain. */
function start(): FeedbackWriter {
  const view = () =>
    ({ custody, erc8004: { id: agentId, agent_registry: 'eip155:31337:0x1' } }) as PassportView;
  const find = async (wallet: string) => (wallet === walletOf(PROVIDER) ? view() : undefined);
  const writer = new FeedbackWriter({
    baseUrl: BASE_URL,
    chain,
    clock,
    trust: chain.trust,
    events: store.events,
    passports: { find },
    store: openFeedbackStore(store),
    notice: (line) => void notices.push(line),
  });
  writers.push(writer);
  return writer;
}

async function append(events: readonly PublicEvent[]): Promise<void> {
  for (const { seq: _seq, at, ...event } of events) {
    const key = `${event.ref}:${event.type}`;
    await store.events.append({ ...event, key, happenedAt: Date.parse(at) });
  }
}

const written = () => chain.ledger.contracts.feedback;
const isCaughtUp = () => openFeedbackStore(store).position === store.events.size;

describe('of an agent that owns its passport', () => {
  test('jobs that count leave feedback, with a file of its hash and a proof of payment', async () => {
    start();
    const feed = new MadeFeed();
    const job = { buyer: 1, provider: PROVIDER };
    feed.released(job);
    feed.decided(job, 'buyer');
    feed.refunded(job);
    feed.lapsed(job);
    await append(feed.events);
    await soon(isCaughtUp);
    expect(written().map(({ tag1, tag2, value }) => [tag1, tag2, value])).toEqual([
      ['settledJob', 'released', 100],
      ['settledJob', 'disputeLost', 0],
      ['settledJob', 'unfulfilled', 0],
      ['settledJob', 'unfulfilled', 0],
    ]);
    const proofs = [];
    for (const { feedbackUri, feedbackHash, endpoint } of written()) {
      const [id = '', outcome = ''] = feedbackUri
        .slice(`${BASE_URL}/a2a/feedback/`.length)
        .split('/');
      const row = openFeedbackStore(store).get(id, outcome.replace('.json', ''));
      expect(keccak256(toHex(row?.text ?? ''))).toBe(feedbackHash);
      const file = JSON.parse(row?.text ?? '');
      expect(file).toMatchObject({
        agentId: Number(agentId),
        clientAddress: `eip155:31337:${chain.trust.operator}`,
        endpoint,
      });
      proofs.push(file.proofOfPayment?.toAddress);
    }
    expect(proofs).toEqual([walletOf(PROVIDER), walletOf(1), walletOf(1), undefined]);
  });

  test('jobs that count for nothing leave none', async () => {
    start();
    const feed = new MadeFeed();
    const job = { buyer: 1, provider: PROVIDER };
    feed.released({ buyer: PROVIDER, provider: PROVIDER });
    feed.released({ ...job, over: { deliverable_sha256: null } });
    feed.refunded(job, 'given_back');
    feed.refunded({ ...job, over: { bid_id: null } });
    feed.lapsed({ ...job, over: { bid_id: null } });
    feed.decided(job, 'provider');
    feed.released({ buyer: 1, provider: 8 });
    await append(feed.events);
    await soon(isCaughtUp);
    expect(written()).toEqual([]);
  });
});

describe('under faults', () => {
  test('a lost answer, a lost call, a dead chain and a restart neither lose nor repeat it', async () => {
    const first = start();
    chain.trust.faults.fates.push('late', 'lost');
    const feed = new MadeFeed();
    for (const buyer of [1, 2, 3]) feed.released({ buyer, provider: PROVIDER });
    await append(feed.events);
    await soon(() => notices.length === 1);
    expect(written()).toHaveLength(1);
    await first.stop();
    start();
    await soon(() => notices.length === 2);
    chain.faults.isDown = true;
    await clock.advance(FEEDBACK_RETRY_MS.chain);
    await soon(() => notices.length === 3);
    expect(written()).toHaveLength(1);
    chain.faults.isDown = false;
    await clock.advance(FEEDBACK_RETRY_MS.chain);
    await soon(isCaughtUp);
    expect(new Set(written().map(({ key }) => key)).size).toBe(3);
    expect(written()).toHaveLength(3);
  });

  test('without gas for the day it waits and goes on; what the registry refuses is skipped', async () => {
    start();
    chain.trust.faults.isGasSpent = true;
    const feed = new MadeFeed();
    feed.released({ buyer: 1, provider: PROVIDER });
    await append(feed.events);
    await soon(() => notices.length === 1);
    expect(written()).toEqual([]);
    chain.trust.faults.isGasSpent = false;
    chain.trust.faults.fates.push('refused');
    await clock.advance(FEEDBACK_RETRY_MS.budget);
    await soon(isCaughtUp);
    expect(written()).toEqual([]);
    expect(notices[1]).toMatch(/^feedback for .*rejected/);
  });
});

test('an agent in custody gets its feedback, also for earlier jobs, when its owner claims it', async () => {
  custody = 'operator';
  start();
  const feed = new MadeFeed();
  feed.released({ buyer: 1, provider: PROVIDER });
  feed.released({ buyer: PROVIDER, provider: 8 });
  await append(feed.events);
  await soon(isCaughtUp);
  expect(written()).toEqual([]);
  custody = 'self';
  const owner = walletOf(PROVIDER);
  await store.events.append({
    key: 'claimed',
    type: 'passport.claimed',
    ref: 'alpha',
    subjects: [owner],
    data: { name: 'alpha', agent_id: 'x', owner, transaction: null },
    happenedAt: clock.now(),
  });
  await soon(isCaughtUp);
  expect(written().map(({ tag2 }) => tag2)).toEqual(['released']);
});
