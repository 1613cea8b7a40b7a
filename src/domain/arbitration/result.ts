import { z } from 'zod';
import { SignedStatementShape } from '../attestation/records.ts';
import { PanelResultBase, PanelState, SeatReport } from '../panel/result.ts';
import { CaseFile, VerdictEffect } from './records.ts';

/** Judgement of each seat before and after the sides were swapped. */
const SeatPasses = z.object({
  seat: z.string(),
  first: z.string().nullable(),
  swapped: z.string().nullable(),
  evidence_ids: z.array(z.string()),
});

/** The signed part of a verdict. */
export const VerdictPayload = z.object({
  arbiter: z.literal('panel of the operator of this service'),
  board_job_id: z.string(),
  verdict: z.enum(['upheld', 'overturned', 'no_verdict']),
  in_favour_of: z.enum(['buyer', 'provider']).nullable(),
  effect: VerdictEffect,
  /** Whether each side responded; absent in verdicts signed before this field existed. */
  heard: z.object({ claimant: z.boolean(), respondent: z.boolean() }).optional(),
  evidence_root: z.string().nullable(),
  transcript_root: z.string(),
  votes: z.object({ upheld: z.int(), overturned: z.int(), flipped: z.int(), seats: z.int() }),
});
/** A parsed {@link VerdictPayload}. */
export type VerdictPayload = z.infer<typeof VerdictPayload>;

/** The result of an arbitration. */
export const ArbitrationResult = PanelResultBase.extend({
  seats: z.array(SeatReport.extend({ role: z.string() })),
  passes: z.array(SeatPasses),
  /** Letters of the seats whose judgement changed when the sides were swapped; they abstain. */
  flipped: z.array(z.string()),
  file: CaseFile.nullable(),
  /** The verdict as signed; pass it with `statement` to `stoa verify`. */
  payload: VerdictPayload.nullable(),
  /** The service's signature over `payload`; `null` until it is signed. */
  statement: SignedStatementShape.nullable(),
});
/** A parsed {@link ArbitrationResult}. */
export type ArbitrationResult = z.infer<typeof ArbitrationResult>;

/** The current state of an arbitration. */
export const ArbitrationState = PanelState.extend({ result: ArbitrationResult.optional() });
