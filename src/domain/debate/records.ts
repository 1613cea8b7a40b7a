import { z } from 'zod';
import { PANEL_ROUNDS_MAX } from '../panel/records.ts';

/** Most options that a debate decides between. */
export const OPTIONS_MAX = 8;
/** Most rebuttal rounds. */
export const ROUNDS_MAX = PANEL_ROUNDS_MAX;

/** An option of a debate, with its scores by criterion id where the caller gave them. */
export const DebateOption = z.object({
  optionId: z.string().regex(/^o\d$/),
  name: z.string(),
  description: z.string().optional(),
  scores: z.record(z.string(), z.number()).optional(),
});
/** See {@link DebateOption}. */
export type DebateOption = z.infer<typeof DebateOption>;

/** A criterion with its weight; `higherIsBetter: false` for costs. */
export const DebateCriterion = z.object({
  criterionId: z.string().regex(/^c\d{1,2}$/),
  name: z.string(),
  weight: z.number().positive(),
  higherIsBetter: z.boolean(),
});
/** See {@link DebateCriterion}. */
export type DebateCriterion = z.infer<typeof DebateCriterion>;

/** The question as the seats get it; kept by hash, out of the actor's context. */
export const DebateBrief = z.object({
  question: z.string(),
  background: z.string().optional(),
  options: z.array(DebateOption).min(2).max(OPTIONS_MAX),
  criteria: z.array(DebateCriterion),
  evidence: z.array(z.object({ evidenceId: z.string(), text: z.string() })),
});
/** See {@link DebateBrief}. */
export type DebateBrief = z.infer<typeof DebateBrief>;
