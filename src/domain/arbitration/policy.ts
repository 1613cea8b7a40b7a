import { z } from 'zod';
import type { PanelPolicy } from '../panel/definition.ts';
import { JobRole, VerdictEffect } from './records.ts';

const one = <Value extends z.ZodType>(value: Value) => z.tuple([value]);
const Terms = z.object({
  board_job_id: one(z.string().min(1)),
  claimant_role: one(JobRole),
  claimant: one(z.string()),
  respondent: one(z.string()),
  window_s: one(z.string().regex(/^\d{1,7}$/)),
  effect: one(VerdictEffect),
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
export function policyOf(terms: CaseTerms): Record<string, string[]> {
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
export function readTerms(policy: PanelPolicy): CaseTerms {
  const terms = Terms.parse(policy);
  return {
    boardJobId: terms.board_job_id[0],
    claimantRole: terms.claimant_role[0],
    claimant: terms.claimant[0],
    respondent: terms.respondent[0],
    windowS: Number(terms.window_s[0]),
    effect: terms.effect[0],
  };
}
