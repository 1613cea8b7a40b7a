import { z } from 'zod';
import { listKeptParts, removeKeptParts } from './masks.ts';
import { compareNumbers, findNumbers, type Language } from './numbers.ts';

/** A required or preferred translation of a term. */
export const GlossaryTerm = z.strictObject({
  src: z.string().min(1).max(200).describe('The term.'),
  dst: z.string().min(1).max(200).describe('Its translation.'),
  mode: z
    .enum(['must', 'prefer'])
    .default('must')
    .describe('Required or preferred. Default: must.'),
});
/** A required or preferred translation of a term. */
export type GlossaryTerm = z.infer<typeof GlossaryTerm>;

/** Results of the automatic comparison of a translation with its source. */
export const TranslationChecks = z.object({
  numbers: z.object({
    ok: z.boolean(),
    missing: z.array(z.string()),
    invented: z.array(z.string()),
  }),
  kept: z
    .object({ ok: z.boolean(), missing: z.array(z.string()), invented: z.array(z.string()) })
    .describe('URLs, placeholders, tags and code.'),
  names: z.object({ ok: z.boolean(), missing: z.array(z.string()) }),
  glossary: z.object({
    ok: z.boolean(),
    missing: z.array(z.string()),
    not_preferred: z.array(z.string()),
  }),
  script: z.object({ ok: z.boolean(), why: z.string().nullable() }),
  paragraphs: z.object({ ok: z.boolean(), source: z.int(), translation: z.int() }),
  length: z.object({ ok: z.boolean(), ratio: z.string() }),
});
/** Results of the automatic comparison of a translation with its source. */
export type TranslationChecks = z.infer<typeof TranslationChecks>;

/** Input of the comparison. */
export interface TranslationPair {
  readonly source: string;
  readonly translation: string;
  readonly from: Language;
  readonly to: Language;
  readonly glossary: readonly GlossaryTerm[];
  /** Names that must stay unchanged. */
  readonly names: readonly string[];
}

/** Allowed length ratio of translation to source, minimum and maximum. */
const LENGTH_RATIOS: Readonly<Record<Language, readonly [number, number]>> = {
  en: [1, 9],
  zh: [0.1, 1.5],
};
/** Minimum length of a source text for the length check, in characters. */
const LENGTH_CHECK_CHARS_MIN = 20;
const HAN = /\p{Script=Han}/u;
const NAME_IN_CHINESE = /[A-Za-z][A-Za-z0-9]*(?:[-.][A-Za-z0-9]+)*/g;

/** Compares a translation with its source. A pure function; no model is involved. */
export function checkTranslation(translated: TranslationPair): TranslationChecks {
  const { source, translation, from, to } = translated;
  const plain = { source: removeKeptParts(source), translation: removeKeptParts(translation) };
  const { missing, invented } = compareNumbers(
    findNumbers(plain.source, from),
    findNumbers(plain.translation, to),
  );
  return {
    numbers: {
      ok: missing.length + invented.length === 0,
      missing: [...missing],
      invented: [...invented],
    },
    kept: checkKeptParts(source, translation),
    names: checkNames(translated, plain.source),
    glossary: checkGlossary(translated),
    script: checkScript(plain.translation, translated),
    paragraphs: checkParagraphs(source, translation),
    length: checkLength(plain.source, plain.translation, to),
  };
}

/** Checks whether all checks passed. */
export function hasPassed(checks: TranslationChecks): boolean {
  return Object.values(checks).every(({ ok }) => ok);
}

/** Lists the failed checks for a repair. */
export function listFailures(checks: TranslationChecks): readonly string[] {
  return Object.entries(checks).flatMap(([name, check]) =>
    check.ok ? [] : [`${name}: ${JSON.stringify(check)}`],
  );
}

function checkKeptParts(source: string, translation: string): TranslationChecks['kept'] {
  const [wanted, found] = [listKeptParts(source), listKeptParts(translation)];
  const missing = findMissing(wanted, found);
  // A marker that looks like a mask but is none was invented.
  const masks = translation.match(/⟦\d+⟧/g) ?? [];
  const invented = [...findMissing(found, wanted), ...masks];
  return { ok: missing.length + invented.length === 0, missing, invented };
}

/** Returns the items that the first list contains more often than the second. */
function findMissing(expected: readonly string[], found: readonly string[]): string[] {
  const rest = [...found];
  return expected.filter((part) => {
    const at = rest.indexOf(part);
    if (at < 0) return true;
    rest.splice(at, 1);
    return false;
  });
}

function checkNames(translated: TranslationPair, plain: string): TranslationChecks['names'] {
  const { from, names, source, translation, glossary } = translated;
  // Latin words in Chinese text are names; English has no other spelling for them.
  const latin = from === 'zh' ? (plain.match(NAME_IN_CHINESE) ?? []).filter(isLatinName) : [];
  const covered = (name: string) => glossary.some(({ src }) => src.includes(name));
  const requiredNames = [...names.filter((name) => source.includes(name)), ...latin].filter(
    (name) => !covered(name),
  );
  const missing = [...new Set(requiredNames)].filter(
    (name) => !includesIgnoringCase(translation, name),
  );
  return { ok: missing.length === 0, missing };
}

function isLatinName(word: string): boolean {
  return word.length > 1 && /[A-Z]/.test(word);
}

function checkGlossary({
  source,
  translation,
  glossary,
}: TranslationPair): TranslationChecks['glossary'] {
  const missingTerms = glossary.filter(
    ({ src, dst }) => includesIgnoringCase(source, src) && !includesIgnoringCase(translation, dst),
  );
  const missing = missingTerms.filter(({ mode }) => mode === 'must').map(({ dst }) => dst);
  const preferred = missingTerms.filter(({ mode }) => mode === 'prefer').map(({ dst }) => dst);
  return { ok: missing.length === 0, missing, not_preferred: preferred };
}

function includesIgnoringCase(text: string, part: string): boolean {
  return text.normalize('NFKC').toLowerCase().includes(part.normalize('NFKC').toLowerCase());
}

function checkScript(
  plain: string,
  { to, glossary, names }: TranslationPair,
): TranslationChecks['script'] {
  const keptWords = [...names, ...glossary.map(({ dst }) => dst)];
  const rest = keptWords.reduce((text, name) => text.replaceAll(name, ' '), plain);
  if (to === 'en' && HAN.test(rest)) return { ok: false, why: 'Chinese characters remain.' };
  if (to === 'zh' && !HAN.test(plain) && /[a-z]{3}/i.test(rest)) {
    return { ok: false, why: 'The text has no Chinese characters.' };
  }
  return { ok: true, why: null };
}

function checkParagraphs(source: string, translation: string): TranslationChecks['paragraphs'] {
  const count = (text: string) => text.split('\n').filter((line) => line.trim() !== '').length;
  const counted = { source: count(source), translation: count(translation) };
  return { ok: counted.source === counted.translation, ...counted };
}

function checkLength(
  source: string,
  translation: string,
  to: Language,
): TranslationChecks['length'] {
  const [before, after] = [source.trim().length, translation.trim().length];
  const ratio = before === 0 ? 1 : after / before;
  const [least, most] = LENGTH_RATIOS[to];
  const isUsual = ratio >= least && ratio <= most;
  return { ok: isUsual || before < LENGTH_CHECK_CHARS_MIN, ratio: ratio.toFixed(2) };
}
