import type { JsonObject } from '../../domain/common/json.ts';
import { SECOND_MS, toIsoTime } from '../../domain/common/time.ts';
import type { ControlLabel } from '../../domain/control/control-catalog.ts';
import type { Controls } from '../../domain/control/controls.ts';
import type { WitnessedJob } from '../../domain/escrow/witness.ts';
import { classifyEvidence, computeWitnessScore } from '../../domain/escrow/witness.ts';
import type { EventData, EventType } from '../../domain/event/catalog.ts';
import type { NewPublicEvent } from '../../domain/event/event-log.ts';
import type { NewProof } from '../../domain/proof/proof-log.ts';
import { toShadowRef } from '../../domain/proof/refs.ts';
import type { ChainFact, JobContext, Payout } from '../../machines/escrow/job-context.ts';
import { DISPUTE_WINDOW_MS } from '../../machines/escrow/job-setup.ts';
import { RELEASE_WINDOW_MS } from '../../machines/escrow/job-updates.ts';
import type { Projector } from '../proof/projector.ts';
import { createProjector } from '../proof/projector.ts';
import { jobKind } from './kinds.ts';

/** When version 1 of the escrow refunds an undecided dispute, in seconds after it was opened. */
const UNDECIDED_REFUND_S = DISPUTE_WINDOW_MS / SECOND_MS;

/**
 * Creates the projector of jobs: facts that anyone can check on the chain, and witness records of
 * their release. Job ids are public; the content of jobs is not published.
 */
export function createJobProjector({ controls }: { readonly controls: Controls }): Projector {
  return createProjector(jobKind, {
    after: [
      ...['xstate.init', 'WORK.DELIVERED', 'xstate.done.actor.pay'],
      ...['CHAIN.ESCROWED', 'CHAIN.FULFILLED', 'CHAIN.RELEASED', 'CHAIN.REFUNDED'],
      ...['CHAIN.DISPUTED', 'CHAIN.DISPUTE_WITHDRAWN', 'CHAIN.DECIDED'],
      'xstate.after.releaseWindow.job.fulfilled',
      'xstate.after.fulfilBy.job.agreed',
    ],
    project: async (view, row) => {
      const job = view.context;
      // A copy that an operator forked, or a development job, is not projected.
      if (job.jobId !== row.id || job.requestId === null) return { proofs: [], events: [] };
      const shadow = job.payout === null ? [] : await projectWitness(job, controls);
      return { proofs: [...projectProofs(job), ...shadow], events: projectEvents(job, view.value) };
    },
  });
}

function projectEvents(job: JobContext, state: unknown): readonly NewPublicEvent[] {
  const { isLate, funding, releaseByMs, payout } = job;
  const isExpired = isLate && funding === 'on_release';
  const hasLapsed = state === 'lapsed' && funding === 'on_release';
  return [
    createEvent(job, 'job.opened', job.openedAt, {
      request_id: job.requestId ?? '',
      fee_bps: job.feeBps,
    }),
    ...mapFound(findFact(job, 'CHAIN.ESCROWED'), ({ transaction, atS }) =>
      createEvent(job, 'job.escrowed', atS * SECOND_MS, { transaction }),
    ),
    ...mapFound(readDelivery(job), ({ sha, atMs, transaction }) =>
      createEvent(job, 'job.fulfilled', atMs, {
        deliverable_sha256: sha,
        deadline: toIsoTime(atMs + RELEASE_WINDOW_MS),
        transaction,
      }),
    ),
    ...mapFound(findFact(job, 'CHAIN.DISPUTED'), ({ transaction, atS }) =>
      createEvent(job, 'job.disputed', atS * SECOND_MS, { by: job.buyer, transaction }),
    ),
    ...mapFound(findFact(job, 'CHAIN.DISPUTE_WITHDRAWN'), ({ transaction, atS }) =>
      createEvent(job, 'job.dispute_withdrawn', atS * SECOND_MS, { transaction }),
    ),
    ...mapFound(findFact(job, 'CHAIN.DECIDED'), ({ transaction, atS }) =>
      createEvent(job, 'job.decided', atS * SECOND_MS, {
        upheld: job.verdict ?? 'buyer',
        transaction,
      }),
    ),
    ...(isExpired ? [createEvent(job, 'job.expired_unreleased', releaseByMs ?? 0, {})] : []),
    ...(hasLapsed
      ? [createEvent(job, 'job.lapsed', job.fulfilByS * SECOND_MS, { reason: 'unfulfilled' })]
      : []),
    ...mapFound(findFact(job, 'CHAIN.REFUNDED'), ({ transaction, atS }) =>
      createEvent(job, 'job.refunded', atS * SECOND_MS, {
        amount: job.priceMicroUsd,
        transaction,
        reason: refundReason(job, atS),
      }),
    ),
    ...(payout === null
      ? []
      : [createEvent(job, 'job.released', paidAtMs(job), releaseData(job, payout))]),
  ];
}

function releaseData(job: JobContext, payout: NonNullable<JobContext['payout']>) {
  return {
    deliverable_sha256: job.deliverableSha,
    net: payout.netMicroUsd,
    fee: payout.feeMicroUsd,
    fee_bps: job.feeBps,
    transaction: payout.transaction,
    is_automatic: payout.isAutomatic,
    is_late: job.isLate,
  };
}

function createEvent<Type extends EventType>(
  job: JobContext,
  type: Type,
  happenedAt: number,
  data: Omit<EventData<Type>, 'buyer' | 'provider' | 'price' | 'funding' | 'bid_id'> & JsonObject,
): NewPublicEvent {
  const { jobId, buyer, provider, priceMicroUsd: price, funding, bidId } = job;
  return {
    key: `${jobId}:${type}`,
    type,
    ref: jobId,
    subjects: [buyer, provider],
    happenedAt,
    data: { buyer, provider, price, funding, bid_id: bidId, ...data },
  };
}

function describeTerms(job: JobContext) {
  return {
    job_id: job.jobId,
    request_id: job.requestId,
    buyer: job.buyer,
    provider: job.provider,
    funding: job.funding,
    price_micro_usd: job.priceMicroUsd,
    escrow_key: job.escrowKey,
  };
}

function projectProofs(job: JobContext): readonly NewProof[] {
  const { jobId, buyer, provider, payout, verdict } = job;
  const shared = { ref: jobId, subject: provider } as const;
  const facts = describeTerms(job);
  const settlement = { ...facts, fee_bps: job.feeBps };
  return [
    // The receipt for the money: how much is held, and for which job.
    ...mapFound(findFact(job, 'CHAIN.ESCROWED'), ({ transaction, atS }) => ({
      kind: 30020 as const,
      key: `${jobId}:escrowed`,
      ref: jobId,
      subject: buyer,
      payload: {
        event: 'escrowed',
        ...settlement,
        escrowed_at: toIsoTime(atS * SECOND_MS),
        fulfil_by: toIsoTime(job.fulfilByS * SECOND_MS),
        transaction,
      },
    })),
    ...mapFound(readDelivery(job), ({ sha, atMs, transaction }) => ({
      ...shared,
      kind: 30016 as const,
      key: `${jobId}:fulfilled`,
      payload: {
        event: 'fulfilled',
        ...facts,
        deliverable_sha256: sha,
        delivered_at: toIsoTime(atMs),
        transaction,
      },
    })),
    ...mapFound(findFact(job, 'CHAIN.DECIDED'), ({ transaction, atS }) => ({
      ...shared,
      kind: 30021 as const,
      key: `${jobId}:decided`,
      payload: {
        event: 'decided',
        ...facts,
        upheld: verdict,
        why: job.verdictWords,
        decided_at: toIsoTime(atS * SECOND_MS),
        transaction,
      },
    })),
    ...mapFound(findFact(job, 'CHAIN.REFUNDED'), ({ transaction, atS }) => ({
      kind: 30020 as const,
      key: `${jobId}:refunded`,
      ref: jobId,
      subject: buyer,
      payload: {
        event: 'refunded',
        ...settlement,
        reason: refundReason(job, atS),
        refund_micro_usd: job.priceMicroUsd,
        transaction,
      },
    })),
    ...mapFound(payout ?? undefined, (released) => ({
      ...shared,
      kind: 30020 as const,
      key: `${jobId}:released`,
      payload: {
        event: 'released',
        ...settlement,
        ...describePayout(job, released),
      },
    })),
  ];
}

function describePayout({ isLate }: JobContext, payout: Payout) {
  return {
    net_micro_usd: payout.netMicroUsd,
    fee_micro_usd: payout.feeMicroUsd,
    is_automatic: payout.isAutomatic,
    is_late: isLate,
    transaction: payout.transaction,
  };
}

/**
 * Returns the witness score of a release and, in shadow mode, the evidence tier. Nothing acts on
 * them.
 */
async function projectWitness(job: JobContext, controls: Controls): Promise<readonly NewProof[]> {
  const { jobId, provider: subject } = job;
  const seen: WitnessedJob = {
    funding: job.funding,
    deliveredAtS: job.deliveredAtS,
    fulfilByS: job.fulfilByS,
    deliverableSha: job.deliverableSha,
    keptSha: job.deliverable?.sha256 ?? null,
    wasDisputed: job.dispute !== null,
    verdict: job.verdict,
  };
  // Shadow records get their own reference, so that they are not listed with the records of the
  // job.
  const shared = (label: ControlLabel) =>
    ({ kind: 30013, ref: label === 'SHADOW' ? toShadowRef(jobId) : jobId, subject }) as const;
  const scoring = await controls.readLabel('witness-scoring');
  const bundle = await controls.readLabel('evidence-bundle');
  const score: NewProof = {
    ...shared(scoring),
    key: `${jobId}:witness`,
    payload: {
      event: 'witness_score',
      control: scoring,
      job_id: jobId,
      ...computeWitnessScore(seen),
    },
  };
  const tier: NewProof = {
    ...shared(bundle),
    key: `${jobId}:evidence`,
    payload: {
      event: 'evidence_tier',
      control: bundle,
      job_id: jobId,
      tier: classifyEvidence(seen),
      acted: false,
    },
  };
  return [...(scoring === 'OFF' ? [] : [score]), ...(bundle === 'OFF' ? [] : [tier])];
}

function refundReason(job: JobContext, atS: number) {
  const { verdict, dispute, isLate, deliveredAtS, fulfilByS } = job;
  if (isLate) return 'late';
  if (verdict === 'buyer') return 'decided';
  if (dispute?.isRefundedByTime === true && atS >= dispute.openedAtS + UNDECIDED_REFUND_S) {
    return 'undecided';
  }
  if (dispute !== null) return 'given_back';
  return deliveredAtS === null && atS > fulfilByS ? 'unfulfilled' : 'given_back';
}

function readDelivery(job: JobContext) {
  const { deliverableSha: sha, deliveredAtS } = job;
  if (sha === null || deliveredAtS === null) return undefined;
  const transaction = findFact(job, 'CHAIN.FULFILLED')?.transaction ?? null;
  return { sha, atMs: deliveredAtS * SECOND_MS, transaction };
}

function paidAtMs(job: JobContext): number {
  const paid = findFact(job, 'CHAIN.RELEASED') ?? findFact(job, 'PAID');
  return (paid?.atS ?? 0) * SECOND_MS;
}

function findFact({ facts }: JobContext, name: string): ChainFact | undefined {
  return facts.find((row) => row.fact === name);
}

function mapFound<Found, Made>(found: Found | undefined, make: (found: Found) => Made): Made[] {
  return found === undefined ? [] : [make(found)];
}
