import { z } from 'zod';
import { DataFailure } from '../data/data-failure.ts';

/** Result of the ranking step: the passages of each part, by name. */
export const PassagesRanked = z.object({
  passages: z.array(
    z.object({
      name: z.string(),
      document: z.string(),
      text: z.string(),
      from: z.int(),
      to: z.int(),
    }),
  ),
  parts: z.array(
    z.object({
      id: z.string(),
      chosen: z.array(z.object({ name: z.string(), score: z.number() })),
    }),
  ),
  suspicious: z.int(),
});
/** Result of the ranking step. */
export type PassagesRanked = z.infer<typeof PassagesRanked>;

/** Reasons for the rejection of a claim. They are part of the wire format. */
export const DropReason = z.enum([
  'no_citation',
  'number_not_in_citation',
  'quotation_not_in_citation',
  'name_not_in_citation',
  'words_not_in_citation',
  'turned_around',
]);
/** Why a claim was rejected. */
export type DropReason = z.infer<typeof DropReason>;

/** The writer of a brief. */
export const BriefWriter = z.object({
  kind: z.enum(['model', 'extractive']),
  model: z.string().nullable(),
  note: z.string().nullable().describe('Why the brief is extractive although a model was called.'),
});
/** The writer of a brief. */
export type BriefWriter = z.infer<typeof BriefWriter>;

/** Result of the writing step: validated and rejected claims. */
export const ClaimsWritten = z.object({
  claims: z.array(
    z.object({
      part: z.string(),
      text: z.string(),
      cites: z.array(z.string()).min(1),
      support: z.enum(['verbatim', 'paraphrase']),
      numbersChecked: z.int(),
    }),
  ),
  dropped: z.array(z.object({ part: z.string(), reason: DropReason })),
  counts: z.object({
    claimsChecked: z.int(),
    citationsChecked: z.int(),
    citationsDropped: z.int(),
    numbersChecked: z.int(),
  }),
  writer: BriefWriter,
  faults: z.array(DataFailure),
});
/** Result of the writing step. */
export type ClaimsWritten = z.infer<typeof ClaimsWritten>;
