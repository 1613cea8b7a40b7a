import { z } from 'zod';
import { ADVANCED } from '../tool/advanced.ts';
import { DEADLINE_S_MAX } from './records.ts';

/** Maximum number of evidence items in a request. */
const EVIDENCE_MAX = 20;

/** A short name. */
export const ShortName = z.string().trim().min(1).max(200);

/** Texts that seats may cite, with optional ids. */
export const EvidenceTexts = z
  .array(
    z.union([
      z.string().min(1).max(8_000),
      z.strictObject({
        id: z
          .string()
          .regex(/^[A-Za-z0-9._-]{1,40}$/)
          .describe('Id, to cite it by.'),
        text: z.string().min(1).max(8_000).describe('The text.'),
      }),
    ]),
  )
  .max(EVIDENCE_MAX);

/** The time limit that a caller sets. */
export const DeadlineField = z
  .int()
  .min(10)
  .max(DEADLINE_S_MAX)
  .optional()
  .describe('Time limit in seconds.')
  .meta(ADVANCED);
