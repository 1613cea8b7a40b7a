import { expect, test } from 'vitest';
import { movesOfJob, movesOfRequest } from '../../../src/domain/escrow/moves.ts';
import {
  bidIdOf,
  jobIdOfKey,
  jobIdOfOrigin,
  requestIdOf,
  requestOfBid,
  requestPrefix,
  termsIdOf,
} from '../../../src/domain/escrow/names.ts';
import { commitReserve, negotiate } from '../../../src/domain/escrow/negotiation.ts';
import {
  evidenceTier,
  type WitnessedJob,
  witnessScore,
} from '../../../src/domain/escrow/witness.ts';

const seen: WitnessedJob = {
  funding: 'escrow',
  deliveredAtS: 100,
  fulfilByS: 100,
  deliverableSha: 'aa',
  keptSha: 'aa',
  wasDisputed: false,
  verdict: null,
};

test('names follow from what they are of, and differ with every part of it', () => {
  const request = requestIdOf('translation.zh-en', 'call');
  expect(request).toMatch(/^req_[0-9a-f]{32}$/);
  expect(request.startsWith(requestPrefix('translation.zh-en'))).toBe(true);
  expect(requestIdOf('translation.zh-en', 'other')).not.toBe(request);
  const bid = bidIdOf(request, 'call');
  expect([requestOfBid(bid), requestOfBid('bid_x'), requestOfBid(request)]).toEqual([
    ...[request, undefined, undefined],
  ]);
  const origin = { requestId: request, bidId: bid, attempt: 0 };
  const names = [
    origin,
    { ...origin, attempt: 1 },
    { ...origin, bidId: null },
    { ...origin, requestId: 'req_0' },
  ].map((each) => termsIdOf(each));
  expect(new Set(names).size).toBe(4);
  expect(jobIdOfOrigin(origin)).toBe(jobIdOfKey(names[0] ?? ''));
  expect(jobIdOfKey(`0x${'AB'.repeat(32)}`)).toBe(`job_${'ab'.repeat(16)}`);
});

test('a witness scores facts: in time, the bytes that were named, never disputed', () => {
  expect(witnessScore(seen)).toEqual({
    score: 100,
    parts: { in_time: 40, hash_matches: 40, undisputed: 20 },
  });
  const scores = [
    { deliveredAtS: 101 },
    { keptSha: null },
    { wasDisputed: true, verdict: 'provider' },
    { wasDisputed: true, verdict: 'buyer' },
    { deliverableSha: null, keptSha: null, deliveredAtS: null },
  ].map((change) => witnessScore({ ...seen, ...change } as WitnessedJob).score);
  expect(scores).toEqual([60, 60, 90, 80, 20]);
});

test('tiers of evidence fall with what there is to show', () => {
  const tiers = [
    {},
    { funding: 'on_release' },
    { keptSha: 'bb' },
    { deliverableSha: null, keptSha: null },
  ].map((change) => evidenceTier({ ...seen, ...change } as WitnessedJob));
  expect(tiers).toEqual(['on_chain', 'witnessed', 'stated', 'none']);
});

test('a sealed reserve is bound by its hash, and meets the budget in the middle or not at all', () => {
  const sealed = { reserveMicroUsd: '20000001', salt: 'salt' };
  expect(negotiate('30000000', sealed)).toEqual({
    commitment: commitReserve(sealed),
    priceMicroUsd: '25000000',
  });
  expect(negotiate('20000000', sealed).priceMicroUsd).toBeNull();
  expect(commitReserve({ ...sealed, salt: 'other' })).not.toBe(commitReserve(sealed));
  expect(commitReserve({ ...sealed, reserveMicroUsd: '1' })).not.toBe(commitReserve(sealed));
});

test('moves are those that the machine takes and the funding knows', () => {
  const takes = new Set(['JOB.COMPLETED', 'DISPUTE.OPENED', 'JOB.GIVEN_BACK']);
  const job = { jobId: 'job_1', isLate: false, wasDisputed: false, takes };
  const moves = (of: Partial<Parameters<typeof movesOfJob>[0]>) =>
    movesOfJob({ ...job, funding: 'escrow', ...of }).map(({ move, by }) => `${by} ${move}`);
  expect(moves({})).toEqual(['buyer release', 'buyer dispute', 'provider give_back']);
  expect(moves({ wasDisputed: true })).toEqual(['buyer release', 'provider give_back']);
  expect(moves({ funding: 'on_release' })).toEqual(['buyer release']);
  expect(moves({ funding: 'on_release', isLate: true })).toEqual(['buyer release_late']);
  expect(moves({ takes: new Set() })).toEqual([]);
});

test('an open request is bid on, one that is meant for a provider is begun', () => {
  const request = { requestId: 'req_1', provider: null, openBids: ['bid_1'] };
  expect(movesOfRequest(request).map(({ move }) => move)).toEqual([
    ...['bid', 'accept', 'withdraw_bid', 'withdraw'],
  ]);
  const direct = { ...request, provider: '0x1', openBids: [] };
  expect(movesOfRequest(direct).map(({ move }) => move)).toEqual(['begin', 'withdraw']);
});
