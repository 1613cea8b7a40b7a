import { z } from 'zod';
import { TranslationChecks } from './check.ts';

/** The languages by their tags. */
export const TextLanguage = z.enum(['zh-Hans', 'en']);
/** See {@link TextLanguage}. */
export type TextLanguage = z.infer<typeof TextLanguage>;

/** The answer of a translation. */
export const TranslationReport = z.object({
  translation: z.string(),
  source: TextLanguage,
  target: TextLanguage,
  quality: z
    .enum(['checked', 'needs_review'])
    .describe('checked: every check by code holds; that is no promise of good style.'),
  checks: TranslationChecks,
  rounds: z.int().describe('1, or 2 after one repair.'),
  cited: z.array(z.string()).describe('Sources of the translation.'),
});
/** See {@link TranslationReport}. */
export type TranslationReport = z.infer<typeof TranslationReport>;
