import { z } from 'zod';

/** Most pieces of evidence of a request. */
const EVIDENCE_MAX = 20;

/** A short name of something. */
export const ShortName = z.string().trim().min(1).max(200);

/** Texts that seats may cite, some with ids of their own. */
export const EvidenceTexts = z
  .array(
    z.union([
      z.string().min(1).max(8_000),
      z.strictObject({
        id: z.string().regex(/^[A-Za-z0-9._-]{1,40}$/),
        text: z.string().min(1).max(8_000),
      }),
    ]),
  )
  .max(EVIDENCE_MAX);
