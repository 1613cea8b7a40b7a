import type { CaseTerms } from '../../domain/arbitration/policy.ts';
import type { LedgerFacts, VerdictEffect } from '../../domain/arbitration/records.ts';
import { AppError } from '../../domain/common/error.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import type { StandingJob } from '../escrow/read.ts';

/** What a job's ledger says: confirmed facts of the chain, and the hash of what was handed in. */
export function ledgerOf({ state, context }: StandingJob): LedgerFacts {
  return {
    boardJobId: context.jobId,
    state,
    funding: context.funding,
    priceMicroUsd: context.priceMicroUsd,
    fulfilByS: context.fulfilByS,
    deliveredAtS: context.deliveredAtS,
    deliverableSha: context.deliverableSha,
    heldSha: context.deliverable?.sha256 ?? null,
    disputedAtS: context.dispute?.openedAtS ?? null,
    reason: context.dispute?.reason ?? null,
    isPaid: context.payout !== null,
    transactions: [...new Set(context.facts.map(({ transaction }) => transaction))],
  };
}

/** What an arbitration of a job is about. */
type CaseOf = Pick<CaseTerms, 'boardJobId' | 'claimantRole' | 'claimant' | 'respondent' | 'effect'>;

/** First parts of states in which a settlement stands that may be contested, and by whom. */
const CONTESTED: Readonly<Record<string, CaseTerms['claimantRole']>> = {
  disputed: 'buyer',
  released: 'buyer',
  refunded: 'provider',
  expired_unreleased: 'provider',
  forgone: 'provider',
};

/**
 * Says who contests what in a job: the buyer a payment, the provider that there was none. In a
 * dispute that stands the verdict decides the escrow, else it is evidence only.
 *
 * @throws {AppError} `DISPUTE_UNAVAILABLE`
 */
export function caseOfJob({ state, context }: StandingJob): CaseOf {
  const [main = ''] = state.split('.');
  const claimantRole = CONTESTED[main];
  if (claimantRole === undefined) {
    throw new AppError('DISPUTE_UNAVAILABLE', {
      data: { received: state, allowed: Object.keys(CONTESTED) },
    });
  }
  const { buyer, provider, jobId } = context;
  const [claimant, respondent] = claimantRole === 'buyer' ? [buyer, provider] : [provider, buyer];
  const effect = effectOn(state);
  return { boardJobId: jobId, claimantRole, claimant, respondent, effect };
}

/** What a verdict on a job in this state is for: only a dispute that stands is decided. */
export function effectOn(state: string): VerdictEffect {
  return state.split('.')[0] === 'disputed' ? 'decides_escrow' : 'evidence_only';
}

/** When an escrow of version 1 refunds the buyer without a verdict, in ms; else `null`. */
export function disputeTimeout({ context }: StandingJob): number | null {
  const { dispute, decideMs } = context;
  return dispute?.isRefundedByTime === true ? dispute.openedAtS * SECOND_MS + decideMs : null;
}
