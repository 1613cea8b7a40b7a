import { z } from 'zod';
import type { PanelPolicy } from '../panel/definition.ts';
import { JobRole, VerdictEffect } from './records.ts';

const singleton = <Value extends z.ZodType>(value: Value) => z.tuple([value]);
const TermsPolicy = z.object({
  board_job_id: singleton(z.string().min(1)),
  claimant_role: singleton(JobRole),
  claimant: singleton(z.string()),
  respondent: singleton(z.string()),
  window_s: singleton(z.string().regex(/^\d{1,7}$/)),
  effect: singleton(VerdictEffect),
});

/** Terms that an arbitration starts with, in addition to seats and price. */
export interface CaseTerms {
  readonly boardJobId: string;
  readonly claimantRole: JobRole;
  /** Wallets in lower case. */
  readonly claimant: string;
  readonly respondent: string;
  readonly windowS: number;
  readonly effect: VerdictEffect;
}

/** Encodes the terms as a panel policy. */
export function encodeTerms(terms: CaseTerms): Record<string, string[]> {
  return {
    board_job_id: [terms.boardJobId],
    claimant_role: [terms.claimantRole],
    claimant: [terms.claimant],
    respondent: [terms.respondent],
    window_s: [String(terms.windowS)],
    effect: [terms.effect],
  };
}

/** Decodes the terms of an arbitration from a panel policy. */
export function decodeTerms(policy: PanelPolicy): CaseTerms {
  const terms = TermsPolicy.parse(policy);
  return {
    boardJobId: terms.board_job_id[0],
    claimantRole: terms.claimant_role[0],
    claimant: terms.claimant[0],
    respondent: terms.respondent[0],
    windowS: Number(terms.window_s[0]),
    effect: terms.effect[0],
  };
}
