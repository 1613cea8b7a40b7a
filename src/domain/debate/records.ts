import { z } from 'zod';
import { PANEL_ROUNDS_MAX } from '../panel/records.ts';

/** Maximum number of options in a debate. */
export const OPTIONS_MAX = 8;
/** Maximum number of rebuttal rounds. */
export const ROUNDS_MAX = PANEL_ROUNDS_MAX;

/** An option of a debate, with optional scores by criterion id. */
export const DebateOption = z.object({
  optionId: z.string().regex(/^o\d$/),
  name: z.string(),
  description: z.string().optional(),
  scores: z.record(z.string(), z.number()).optional(),
});
/** A parsed {@link DebateOption}. */
export type DebateOption = z.infer<typeof DebateOption>;

/** A criterion with its weight; `higherIsBetter: false` for costs. */
export const DebateCriterion = z.object({
  criterionId: z.string().regex(/^c\d{1,2}$/),
  name: z.string(),
  weight: z.number().positive(),
  higherIsBetter: z.boolean(),
});
/** A parsed {@link DebateCriterion}. */
export type DebateCriterion = z.infer<typeof DebateCriterion>;

/** The brief that seats receive; stored by hash outside the actor's context. */
export const DebateBrief = z.object({
  question: z.string(),
  background: z.string().optional(),
  options: z.array(DebateOption).min(2).max(OPTIONS_MAX),
  criteria: z.array(DebateCriterion),
  evidence: z.array(z.object({ evidenceId: z.string(), text: z.string() })),
});
/** A parsed {@link DebateBrief}. */
export type DebateBrief = z.infer<typeof DebateBrief>;
