import { z } from 'zod';
import { SignedStatementShape } from '../attestation/records.ts';
import { PanelResultBase, PanelState, SeatReport } from '../panel/result.ts';
import { CaseFile, VerdictEffect } from './records.ts';

/** How each seat judged before and after the sides were swapped. */
const Passes = z.object({
  seat: z.string(),
  first: z.string().nullable(),
  swapped: z.string().nullable(),
  evidence_ids: z.array(z.string()),
});

/** What is signed of a verdict. */
export const VerdictPayload = z.object({
  arbiter: z.literal('panel of the operator of this service'),
  board_job_id: z.string(),
  verdict: z.enum(['upheld', 'overturned', 'no_verdict']),
  in_favour_of: z.enum(['buyer', 'provider']).nullable(),
  effect: VerdictEffect,
  /** Which sides were heard; absent in verdicts that were signed before it was told. */
  heard: z.object({ claimant: z.boolean(), respondent: z.boolean() }).optional(),
  evidence_root: z.string().nullable(),
  transcript_root: z.string(),
  votes: z.object({ upheld: z.int(), overturned: z.int(), flipped: z.int(), seats: z.int() }),
});
/** See {@link VerdictPayload}. */
export type VerdictPayload = z.infer<typeof VerdictPayload>;

/** The result of an arbitration. */
export const ArbitrationResult = PanelResultBase.extend({
  seats: z.array(SeatReport.extend({ role: z.string() })),
  passes: z.array(Passes),
  /** Letters of the seats that changed with the order of the sides, and so abstain. */
  flipped: z.array(z.string()),
  file: CaseFile.nullable(),
  /** The verdict, as it is signed; with `statement` it is what `stoa verify` takes. */
  payload: VerdictPayload.nullable(),
  /** The service's signature over `payload`; `null` in the moment before it is signed. */
  statement: SignedStatementShape.nullable(),
});
/** See {@link ArbitrationResult}. */
export type ArbitrationResult = z.infer<typeof ArbitrationResult>;

/** An arbitration as it can be read at any time. */
export const ArbitrationState = PanelState.extend({ result: ArbitrationResult.optional() });
