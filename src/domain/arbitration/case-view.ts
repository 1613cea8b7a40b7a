import { z } from 'zod';
import { SignedStatementShape } from '../attestation/records.ts';
import { EVIDENCE, GivenEvidence, JobRole, Side, SideState, VerdictEffect } from './records.ts';
import { VerdictPayload } from './result.ts';

/** Body of `POST /a2a/jobs/{id}/evidence`, signed by the wallet of a party. */
export const EvidenceOrder = z.strictObject({
  evidence: z.array(GivenEvidence).max(EVIDENCE.itemsMax).default([]),
  /** Names of the own side: in its own texts seats read them as Party 1 or Party 2. */
  names: z
    .array(z.string().trim().min(EVIDENCE.nameCharsMin).max(EVIDENCE.nameCharsMax))
    .max(EVIDENCE.namesMax)
    .default([]),
  /** True: this side hands in nothing more. */
  is_last: z.boolean().default(false),
});
/** See {@link EvidenceOrder}. */
export type EvidenceOrder = z.infer<typeof EvidenceOrder>;

/** An arbitration as a party sees it: of the other side only hashes, until it is sealed. */
export const CaseView = z.object({
  kind: z.literal('arbitration_case'),
  board_job_id: z.string(),
  state: z.string(),
  /** Who judges. */
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
      /** What was handed in, as JSON; both sides' own, once the verdict is sealed. */
      text: z.string().optional(),
    }),
  ),
  /** There from the end on; `statement` is the service's signature over `payload`. */
  payload: VerdictPayload.nullable(),
  statement: SignedStatementShape.nullable(),
});
/** See {@link CaseView}. */
export type CaseView = z.infer<typeof CaseView>;
