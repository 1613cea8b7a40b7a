import type { CaseTerms } from '../../domain/arbitration/case-terms.ts';
import type { LedgerFacts, VerdictEffect } from '../../domain/arbitration/records.ts';
import { AppError } from '../../domain/common/error.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import type { JobActorState } from '../escrow/read-actors.ts';

/** Returns the confirmed facts of a job and the hash of its deliverable. */
export function readLedgerFacts({ state, context }: JobActorState): LedgerFacts {
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

/** The parties, claim, and effect of an arbitration. */
type CaseSubject = Pick<
  CaseTerms,
  'boardJobId' | 'claimantRole' | 'claimant' | 'respondent' | 'effect'
>;

/** States with a contestable settlement, and the role that may contest it. */
const CLAIMANT_BY_STATE: Readonly<Record<string, CaseTerms['claimantRole']>> = {
  disputed: 'buyer',
  released: 'buyer',
  refunded: 'provider',
  expired_unreleased: 'provider',
  forgone: 'provider',
};

/**
 * Determines claimant, respondent, and effect of a case. The buyer contests a payment, the provider
 * its absence. Only during an open dispute does the verdict decide the escrow.
 *
 * @throws {AppError} `DISPUTE_UNAVAILABLE`
 */
export function createCaseSubject({ state, context }: JobActorState): CaseSubject {
  const [main = ''] = state.split('.');
  const claimantRole = CLAIMANT_BY_STATE[main];
  if (claimantRole === undefined) {
    throw new AppError('DISPUTE_UNAVAILABLE', {
      data: { received: state, allowed: Object.keys(CLAIMANT_BY_STATE) },
    });
  }
  const { buyer, provider, jobId } = context;
  const [claimant, respondent] = claimantRole === 'buyer' ? [buyer, provider] : [provider, buyer];
  const effect = verdictEffect(state);
  return { boardJobId: jobId, claimantRole, claimant, respondent, effect };
}

/** Returns the effect of a verdict on a job in this state. */
export function verdictEffect(state: string): VerdictEffect {
  return state.split('.')[0] === 'disputed' ? 'decides_escrow' : 'evidence_only';
}

/**
 * When version 1 of the escrow refunds the buyer without a verdict, in Unix milliseconds; else
 * `null`.
 */
export function disputeTimeout({ context }: JobActorState): number | null {
  const { dispute, decideMs } = context;
  return dispute?.isRefundedByTime === true ? dispute.openedAtS * SECOND_MS + decideMs : null;
}
