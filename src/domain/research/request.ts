import { z } from 'zod';

/** How far a search goes, and how many documents are read of one place and together. */
export const DEPTHS = {
  brief: { perPlace: 3, together: 9 },
  standard: { perPlace: 5, together: 16 },
  deep: { perPlace: 8, together: 30 },
} as const;
/** See {@link DEPTHS}. */
export const Depth = z.enum(['brief', 'standard', 'deep']);
/** Addresses of the caller at the most. */
export const URLS_MAX = 10;
/** Questions of one brief at the most. */
export const QUESTIONS_MAX = 8;

/** What research is asked for, as its job keeps it. */
export const ResearchRequest = z.object({
  topic: z.string(),
  questions: z.array(z.string()),
  depth: Depth,
  /** Places that are searched; absent: all that need nothing of the operator. */
  sources: z.array(z.string()).optional(),
  urls: z.array(z.string()),
});
/** See {@link ResearchRequest}. */
export type ResearchRequest = z.infer<typeof ResearchRequest>;
