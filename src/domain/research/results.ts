import { z } from 'zod';
import { DataFault } from '../data/fault.ts';

/** What the ranking step keeps: the passages that speak to each part, by name. */
export const PassagesRanked = z.object({
  passages: z.array(
    z.object({
      name: z.string(),
      ...{ document: z.string(), text: z.string(), from: z.int(), to: z.int() },
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
/** See {@link PassagesRanked}. */
export type PassagesRanked = z.infer<typeof PassagesRanked>;

/** Why a claim was dropped. They are part of the wire. */
export const DropReason = z.enum([
  'no_citation',
  'number_not_in_citation',
  'quotation_not_in_citation',
  'name_not_in_citation',
  'words_not_in_citation',
  'turned_around',
]);
/** See {@link DropReason}. */
export type DropReason = z.infer<typeof DropReason>;

/** Who wrote a brief. */
export const BriefWriter = z.object({
  kind: z.enum(['model', 'extractive']),
  model: z.string().nullable(),
  note: z.string().nullable().describe('Why it is extractive, where a model was asked.'),
});
/** See {@link BriefWriter}. */
export type BriefWriter = z.infer<typeof BriefWriter>;

/** What the writing step keeps: claims that have passed, and what was dropped. */
export const ClaimsWritten = z.object({
  claims: z.array(
    z.object({
      ...{ part: z.string(), text: z.string(), cites: z.array(z.string()).min(1) },
      support: z.enum(['verbatim', 'paraphrase']),
      numbersChecked: z.int(),
    }),
  ),
  dropped: z.array(z.object({ part: z.string(), reason: DropReason })),
  counts: z.object({
    ...{ claimsChecked: z.int(), citationsChecked: z.int() },
    ...{ citationsDropped: z.int(), numbersChecked: z.int() },
  }),
  writer: BriefWriter,
  faults: z.array(DataFault),
});
/** See {@link ClaimsWritten}. */
export type ClaimsWritten = z.infer<typeof ClaimsWritten>;
