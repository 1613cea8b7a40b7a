import { z } from 'zod';

/** Number of documents read per source and in total, by depth. */
export const DEPTHS = {
  brief: { perPlace: 3, together: 9 },
  standard: { perPlace: 5, together: 16 },
  deep: { perPlace: 8, together: 30 },
} as const;
/** The depth of a search. */
export const Depth = z.enum(['brief', 'standard', 'deep']);
/** Maximum number of URLs from the caller. */
export const URLS_MAX = 10;
/** Maximum number of questions per brief. */
export const QUESTIONS_MAX = 8;

/** A research request as stored in its job. */
export const ResearchRequest = z.object({
  topic: z.string(),
  questions: z.array(z.string()),
  depth: Depth,
  /** Sources to search; if absent, all that need no operator settings. */
  sources: z.array(z.string()).optional(),
  urls: z.array(z.string()),
});
/** A research request as stored in its job. */
export type ResearchRequest = z.infer<typeof ResearchRequest>;
