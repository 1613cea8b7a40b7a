import { z } from 'zod';
import { SignedStatementShape } from '../attestation/records.ts';
import {
  EVIDENCE_LIMITS,
  JobRole,
  Side,
  SideState,
  SubmittedEvidence,
  VerdictEffect,
} from './records.ts';
import { VerdictPayload } from './result.ts';

/** Body of `POST /a2a/jobs/{id}/evidence`, signed by the wallet of a party. */
export const EvidenceOrder = z.strictObject({
  evidence: z.array(SubmittedEvidence).max(EVIDENCE_LIMITS.itemsMax).default([]),
  /** Names of the submitting side; seats read them as Party 1 or Party 2 in its texts. */
  names: z
    .array(z.string().trim().min(EVIDENCE_LIMITS.nameCharsMin).max(EVIDENCE_LIMITS.nameCharsMax))
    .max(EVIDENCE_LIMITS.namesMax)
    .default([]),
  /** True if this side submits no more evidence. */
  is_last: z.boolean().default(false),
});
/** A parsed {@link EvidenceOrder}. */
export type EvidenceOrder = z.infer<typeof EvidenceOrder>;

/**
 * An arbitration as one party sees it. The other side's evidence shows only hashes until the
 * verdict is sealed.
 */
export const CaseView = z.object({
  kind: z.literal('arbitration_case'),
  board_job_id: z.string(),
  state: z.string(),
  /** Who decides the case. */
  arbiter: z.literal('panel of the operator of this service'),
  your_side: Side,
  claimant_role: JobRole,
  effect: VerdictEffect,
  window_ends_at: z.iso.datetime(),
  sides: z.object({ claimant: SideState, respondent: SideState }),
  evidence: z.array(
    z.object({
      evidence_id: z.string(),
      side: Side,
      sha256: z.string(),
      chars: z.int(),
      at: z.iso.datetime(),
      /** The submission as JSON; the other side's is included after the verdict is sealed. */
      text: z.string().optional(),
    }),
  ),
  /** `null` until the case ends. `statement` is the service's signature over `payload`. */
  payload: VerdictPayload.nullable(),
  statement: SignedStatementShape.nullable(),
});
/** A parsed {@link CaseView}. */
export type CaseView = z.infer<typeof CaseView>;
