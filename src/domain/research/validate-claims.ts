import { splitWords, stemWord } from '../news/topic.ts';
import { findNumbers } from '../translation/numbers.ts';
import type { ResearchDocument } from './document.ts';
import type { Passage } from './passage.ts';
import { isQuoted } from './quotation.ts';
import { contentWords } from './rank.ts';
import type { DropReason } from './results.ts';

/** Minimum share of a claim's content words that its citations contain. */
export const SUPPORT_SHARE_MIN = 0.6;
/** Maximum number of citations per claim. */
export const CITES_MAX = 4;

/** A claim before validation, citing passages by name. */
export interface DraftClaim {
  /** Part of the question that the claim answers. */
  readonly part: string;
  readonly text: string;
  readonly cites: readonly { readonly passage: string; readonly quote: string | null }[];
}

/** Why a citation is rejected. */
type CitationError = 'unknown_passage' | 'not_at_its_place' | 'quote_not_in_passage';

/** A validated claim. */
export interface ValidatedClaim {
  readonly part: string;
  readonly text: string;
  /** Distinct names of passages. */
  readonly cites: readonly string[];
  /** `verbatim`: one passage contains the claim word for word. */
  readonly support: 'verbatim' | 'paraphrase';
  readonly numbersChecked: number;
}

/** The documents and passages of this run, against which claims are validated. */
export interface CitationContext {
  /** By name. */
  readonly passages: ReadonlyMap<string, Passage>;
  /** By id. */
  readonly documents: ReadonlyMap<string, Pick<ResearchDocument, 'text' | 'title'>>;
}

/** Validated and rejected claims. */
export interface ValidationResult {
  readonly claims: readonly ValidatedClaim[];
  readonly dropped: readonly { readonly part: string; readonly reason: DropReason }[];
  readonly counts: {
    readonly claimsChecked: number;
    readonly citationsChecked: number;
    readonly citationsDropped: number;
    readonly numbersChecked: number;
  };
}

/**
 * Accepts only claims that their citations support. A citation counts if its passage is at its
 * place in a document of this run. The cited text must contain every number, quotation and name of
 * the claim and most of its words, and agree with it on negation. This is a pure function; no model
 * is involved.
 */
export function validateClaims(
  drafts: readonly DraftClaim[],
  ledger: CitationContext,
): ValidationResult {
  const claims: ValidatedClaim[] = [];
  const dropped: ValidationResult['dropped'][number][] = [];
  const counts = { claimsChecked: drafts.length, citationsChecked: 0, citationsDropped: 0 };
  let numbersChecked = 0;
  for (const draft of drafts) {
    const faults = draft.cites.map((cite) => checkCitation(cite, ledger));
    const cites = draft.cites.filter((_, at) => faults[at] === undefined);
    counts.citationsChecked += faults.length;
    counts.citationsDropped += faults.length - cites.length;
    const names = [...new Set(cites.map(({ passage }) => passage))].slice(0, CITES_MAX);
    const cited = names.flatMap((name) => ledger.passages.get(name) ?? []);
    const reason = findDropReason(draft.text, cited, ledger);
    const numbers = listNumbers(draft.text).length;
    numbersChecked += numbers;
    if (reason === undefined) {
      const { part, text } = draft;
      const isVerbatim = cited.some((passage) => isQuoted(text, passage.text));
      const support = isVerbatim ? 'verbatim' : 'paraphrase';
      claims.push({ part, text, cites: names, support, numbersChecked: numbers });
    } else dropped.push({ part: draft.part, reason });
  }
  return { claims, dropped, counts: { ...counts, numbersChecked } };
}

function checkCitation(
  { passage: name, quote }: DraftClaim['cites'][number],
  { passages, documents }: CitationContext,
): CitationError | undefined {
  const passage = passages.get(name);
  if (passage === undefined) return 'unknown_passage';
  const { document, from, to, text } = passage;
  if (text === '' || documents.get(document)?.text.slice(from, to) !== text) {
    return 'not_at_its_place';
  }
  return quote === null || isQuoted(quote, text) ? undefined : 'quote_not_in_passage';
}

function findDropReason(
  text: string,
  cited: readonly Passage[],
  { documents }: CitationContext,
): DropReason | undefined {
  if (cited.length === 0) return 'no_citation';
  const citedText = cited.map((passage) => passage.text).join('\n');
  const titles = cited.map(({ document }) => documents.get(document)?.title ?? '').join('\n');
  if (!containsNumbers(text, citedText)) return 'number_not_in_citation';
  if (!listQuotations(text).every((quote) => cited.some((one) => isQuoted(quote, one.text)))) {
    return 'quotation_not_in_citation';
  }
  const citedStems = new Set(splitWords(`${citedText}\n${titles}`).map(stemWord));
  if (!listNames(text).every((name) => citedStems.has(name))) return 'name_not_in_citation';
  const contentStems = contentWords(text).map(stemWord);
  const supported = contentStems.filter((word) => citedStems.has(word)).length;
  if (contentStems.length === 0 || supported < contentStems.length * SUPPORT_SHARE_MIN) {
    return 'words_not_in_citation';
  }
  return isNegated(text) === isNegated(findClosestSentence(contentStems, cited))
    ? undefined
    : 'turned_around';
}

function listNumbers(text: string): readonly string[] {
  return findNumbers(text, 'en').hard;
}

/**
 * Checks that the cited text contains every number of a claim by value, and percentages as
 * percentages.
 */
function containsNumbers(text: string, said: string): boolean {
  const { possible } = findNumbers(said, 'en');
  const shares = new Set(listPercentages(said));
  return (
    listNumbers(text).every((number) => possible.has(number)) &&
    listPercentages(text).every((share) => shares.has(share))
  );
}

function listPercentages(text: string): readonly string[] {
  const found = text.matchAll(/(?<!\d|\d[.,])(\d+(?:[.,]\d+)*)\s?(?:%|per ?cent)/gi);
  return [...found].flatMap(([, digits = '']) => listNumbers(digits));
}

function listQuotations(text: string): readonly string[] {
  return [...text.matchAll(/["“]([^"“”]{2,})["”]/g)].map(([, inner = '']) => inner);
}

/** Returns capitalized words except the first of a sentence. */
function listNames(text: string): readonly string[] {
  const found = text.matchAll(/(?<=[\p{L}\p{N},;:)]["'”’]?\s{1,4}["'“‘(]?)\p{Lu}[\p{L}\p{N}-]*/gu);
  const signs = text.matchAll(/\b(?:\p{Lu}{2,40}|\p{L}{1,40}\p{N}[\p{L}\p{N}]{0,40})\b/gu);
  return [...found, ...signs].flatMap(([name]) => splitWords(name).map(stemWord));
}

const NEGATIONS = new RegExp(
  [
    '\\b(?:not|no|never|none|neither|nor|without|cannot|hardly|rarely)\\b',
    "\\b(?:is|are|was|were|does|do|did|wo|ca|could|has|have|had|should|would)n't\\b",
  ].join('|'),
  'i',
);

function isNegated(text: string): boolean {
  return NEGATIONS.test(text.replaceAll('’', "'"));
}

/** Returns the cited sentence that shares the most words with a claim. */
function findClosestSentence(telling: readonly string[], cited: readonly Passage[]): string {
  const sentences = cited.flatMap(({ text }) => [
    text,
    ...text.split(/(?<=[.!?;])\s+/).filter((sentence) => sentence !== ''),
  ]);
  const scoreSentence = (sentence: string): number => {
    const words = new Set(splitWords(sentence).map(stemWord));
    // On a tie, the shorter sentence is the better match.
    return telling.filter((word) => words.has(word)).length - words.size / 10_000;
  };
  return sentences.reduce(
    (best, one) => (scoreSentence(one) > scoreSentence(best) ? one : best),
    '',
  );
}
