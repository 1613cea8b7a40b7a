import { expect, test } from 'vitest';
import {
  createBidId,
  createRequestId,
  createTermsId,
  jobIdFromKey,
  jobIdFromOrigin,
  parseRequestId,
  requestIdPrefix,
} from '../../../src/domain/escrow/ids.ts';
import { listJobMoves, listRequestMoves } from '../../../src/domain/escrow/moves.ts';
import { commitReserve, computeNegotiation } from '../../../src/domain/escrow/negotiation.ts';
import {
  classifyEvidence,
  computeWitnessScore,
  type WitnessedJob,
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
  const request = createRequestId('translation.zh-en', 'call');
  expect(request).toMatch(/^req_[0-9a-f]{32}$/);
  expect(request.startsWith(requestIdPrefix('translation.zh-en'))).toBe(true);
  expect(createRequestId('translation.zh-en', 'other')).not.toBe(request);
  const bid = createBidId(request, 'call');
  expect([parseRequestId(bid), parseRequestId('bid_x'), parseRequestId(request)]).toEqual([
    ...[request, undefined, undefined],
  ]);
  const origin = { requestId: request, bidId: bid, attempt: 0 };
  const names = [
    origin,
    { ...origin, attempt: 1 },
    { ...origin, bidId: null },
    { ...origin, requestId: 'req_0' },
  ].map((each) => createTermsId(each));
  expect(new Set(names).size).toBe(4);
  expect(jobIdFromOrigin(origin)).toBe(jobIdFromKey(names[0] ?? ''));
  expect(jobIdFromKey(`0x${'AB'.repeat(32)}`)).toBe(`job_${'ab'.repeat(16)}`);
});

test('a witness scores facts: in time, the bytes that were named, never disputed', () => {
  expect(computeWitnessScore(seen)).toEqual({
    score: 100,
    parts: { in_time: 40, hash_matches: 40, undisputed: 20 },
  });
  const scores = [
    { deliveredAtS: 101 },
    { keptSha: null },
    { wasDisputed: true, verdict: 'provider' },
    { wasDisputed: true, verdict: 'buyer' },
    { deliverableSha: null, keptSha: null, deliveredAtS: null },
  ].map((change) => computeWitnessScore({ ...seen, ...change } as WitnessedJob).score);
  expect(scores).toEqual([60, 60, 90, 80, 20]);
});

test('tiers of evidence fall with what there is to show', () => {
  const tiers = [
    {},
    { funding: 'on_release' },
    { keptSha: 'bb' },
    { deliverableSha: null, keptSha: null },
  ].map((change) => classifyEvidence({ ...seen, ...change } as WitnessedJob));
  expect(tiers).toEqual(['on_chain', 'witnessed', 'stated', 'none']);
});

test('a sealed reserve is bound by its hash, and meets the budget in the middle or not at all', () => {
  const sealed = { reserveMicroUsd: '20000001', salt: 'salt' };
  expect(computeNegotiation('30000000', sealed)).toEqual({
    commitment: commitReserve(sealed),
    priceMicroUsd: '25000000',
  });
  expect(computeNegotiation('20000000', sealed).priceMicroUsd).toBeNull();
  expect(commitReserve({ ...sealed, salt: 'other' })).not.toBe(commitReserve(sealed));
  expect(commitReserve({ ...sealed, reserveMicroUsd: '1' })).not.toBe(commitReserve(sealed));
});

test('moves are those that the machine takes and the funding knows', () => {
  const acceptedEvents = new Set(['JOB.COMPLETED', 'DISPUTE.OPENED', 'JOB.GIVEN_BACK']);
  const job = { jobId: 'job_1', isLate: false, wasDisputed: false, acceptedEvents };
  const moves = (of: Partial<Parameters<typeof listJobMoves>[0]>) =>
    listJobMoves({ ...job, funding: 'escrow', ...of }).map(({ move, by }) => `${by} ${move}`);
  expect(moves({})).toEqual(['buyer release', 'buyer dispute', 'provider give_back']);
  expect(moves({ wasDisputed: true })).toEqual(['buyer release', 'provider give_back']);
  expect(moves({ funding: 'on_release' })).toEqual(['buyer release']);
  expect(moves({ funding: 'on_release', isLate: true })).toEqual(['buyer release_late']);
  expect(moves({ acceptedEvents: new Set() })).toEqual([]);
});

test('an open request is bid on, one that is meant for a provider is begun', () => {
  const request = { requestId: 'req_1', provider: null, openBids: ['bid_1'] };
  expect(listRequestMoves(request).map(({ move }) => move)).toEqual([
    ...['bid', 'accept', 'withdraw_bid', 'withdraw'],
  ]);
  const direct = { ...request, provider: '0x1', openBids: [] };
  expect(listRequestMoves(direct).map(({ move }) => move)).toEqual(['begin', 'withdraw']);
});
