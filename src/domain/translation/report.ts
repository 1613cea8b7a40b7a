import { z } from 'zod';
import { TranslationChecks } from './check-translation.ts';

/** Language tags of texts. */
export const TextLanguage = z.enum(['zh-Hans', 'en']);
/** The language tag of a text. */
export type TextLanguage = z.infer<typeof TextLanguage>;

/** Report of a translation. */
export const TranslationReport = z.object({
  translation: z.string(),
  source: TextLanguage,
  target: TextLanguage,
  quality: z
    .enum(['checked', 'needs_review'])
    .describe('checked: all automatic checks passed. Style is not assessed.'),
  checks: TranslationChecks,
  rounds: z.int().describe('1, or 2 after one repair.'),
  cited: z.array(z.string()).describe('Ids of the sources of the translation.'),
});
/** Report of a translation. */
export type TranslationReport = z.infer<typeof TranslationReport>;
