import { joinPattern } from '../join-pattern.ts';
import type { TextContext } from './clause-rules.ts';
import { CLAUSE_RULES } from './clause-rules.ts';
import type { Clause } from './clauses.ts';
import { isPurposeStatement, isSelfDescription, splitClauses } from './clauses.ts';
import { gloss } from './gloss.ts';
import { HIDING_SIGNS } from './hiding-signs.ts';
import { LANGUAGE_SIGNS } from './language-signs.ts';
import { ORDER_SIGNS } from './order-signs.ts';
import {
  decodeEncodedParts,
  decodePercentSentences,
  hasEncodedParts,
  listReadings,
} from './readings.ts';
import { TAKING_SIGNS } from './taking-signs.ts';
import type { TextSign } from './text-signs.ts';
import { SUSPICION_WEIGHT } from './text-signs.ts';

/** Result of the check of a suspicious text. */
export interface Suspicion {
  readonly weight: number;
  readonly signs: readonly string[];
  /** The part with the highest weight, as displayed. */
  readonly excerpt: string;
}

/** All phrase signs, applied to each reading of a text. */
export const TEXT_SIGNS: readonly TextSign[] = [
  ...ORDER_SIGNS,
  ...TAKING_SIGNS,
  ...HIDING_SIGNS,
  ...LANGUAGE_SIGNS,
];

/** Tools and texts that mention attacks because they detect them. */
const DETECTION_PHRASE = joinPattern(
  'i',
  '\\b(?:detect|scan|flag|classif|moderat|identif|lint|filter|saniti[sz]|audit|',
  'guard|check|look(?:s|ing)? (?:for|out)|find|spot|report|recogni[sz]|warn|',
  'what is an?|explain|block|score|rat(?:e|es)\\b|test|redact|',
  'remov)\\w*\\b[^.!?\\n]{0,80}\\b(?:injection|jailbreak|attempts?|phishing|',
  'attacks?|malicious|toxic|spam|secrets?|unsafe|poison|leak|threat|scam|',
  'suspicious|hidden (?:instructions?|text|characters?)|vulnerab|manipulat|',
  'untrusted)\\w*',
);
/** A negation after a sign that inverts it. */
const NEGATION_AFTER = joinPattern(
  'i',
  '^[^.!?\\n]{0,70}?\\b(?:(?:is|are|will be|can be|may be|was|were) (?:never|',
  'not|no longer|refused|rejected|blocked|removed|redacted|masked|hidden)|',
  '(?:never|not) (?:read|shown|sent|stored|returned|touched|logged))\\b',
);
/** A sentence about attacks, or about texts that are scanned for them. */
const ON_ATTACKS = joinPattern(
  'i',
  '^\\W*(?!(?:this|always|yes|less|unless)\\b)\\w+(?:s|es)\\b[^!?\\n]{0,120}\\b(?:attack\\w*|',
  'malicious|phish\\w*|',
  'jailbreaks?|injections?|threats?|campaign|victims?|poison\\w*|social engineering|lures?|',
  'malware|',
  'exfiltrat\\w+)\\b',
);
const ON_TEXTS = joinPattern(
  'i',
  '^\\W*(?:checks?|reports?|warns?|scans?|finds?|lists?|scores?|flags?|detects?|looks? for|',
  'tells? which|',
  'shows? which|highlights?|counts?)\\b[^!?\\n]{0,100}\\b(?:texts?|lines?|rules?|instructions?|',
  'prompts?|',
  'descriptions?|sentences?|files?)\\b[^!?\\n]{0,40}\\b(?:that|which|for)\\b',
);
const QUOTATION = /["“«'‘`][^"“”«»'‘’`\n]{6,200}["”»'’`]/g;
const EXCERPT_CHARS_MAX = 300;
/** Maximum characters before a sign that are searched for the start of its sentence. */
const BEFORE_CHARS_MAX = 1_000;
/** Weight of a text that is only readable after decoding. */
const ENCODED_WEIGHT = 3;

/**
 * Scores a text for signs that it manipulates a model against its user. Returns `undefined` below
 * the threshold. Wording proves nothing; the result is an indicator.
 */
export function assessText(text: string, place: TextContext = {}): Suspicion | undefined {
  const readings = listReadings(text);
  const [visibleText = ''] = readings;
  const found = new Map<string, { readonly weight: number; readonly excerpt: string }>();
  for (const [at, reading] of readings.entries()) {
    const own = removeDetectionText(reading);
    for (const one of [...findSigns(own), ...findClauseSigns(own, place)]) {
      const isNew = !found.has(one.sign);
      // A sign that only appears after decoding was hidden on purpose.
      const extra = at > 0 && isNew && hasEncodedParts(visibleText) ? ENCODED_WEIGHT : 0;
      if (isNew) found.set(one.sign, { weight: one.weight + extra, excerpt: one.excerpt });
    }
  }
  const order = findEncodedOrder(
    `${decodeEncodedParts(visibleText)}\n${decodePercentSentences(visibleText)}`,
  );
  if (order !== undefined)
    found.set('encoded orders', { weight: ENCODED_WEIGHT + 2, excerpt: order });
  const rows = [...found].sort(([, left], [, right]) => right.weight - left.weight);
  const weight = rows.reduce((sum, [, one]) => sum + one.weight, 0);
  if (weight < SUSPICION_WEIGHT) return undefined;
  return { weight, signs: rows.map(([sign]) => sign), excerpt: rows[0]?.[1].excerpt ?? '' };
}

/** Finds an order in text that was encoded to hide it. */
function findEncodedOrder(decoded: string): string | undefined {
  return splitClauses(decoded).find(({ voice, text }) => voice === 'order' && / .* .* /.test(text))
    ?.text;
}

interface FoundSign {
  readonly sign: string;
  readonly weight: number;
  readonly excerpt: string;
}

function findSigns(text: string): readonly FoundSign[] {
  return TEXT_SIGNS.flatMap((one) => {
    const at = findUnusualPosition(text, one);
    if (at === undefined) return [];
    const excerpt = text.slice(Math.max(0, at - 60), at + EXCERPT_CHARS_MAX - 60).trim();
    return [{ sign: one.sign, weight: one.weight, excerpt }];
  });
}

/** Returns the first position of a sign that is not ordinary in its context. */
function findUnusualPosition(text: string, sign: TextSign): number | undefined {
  const { form, isOrdinaryAfter, isOwnWork } = sign;
  for (const match of text.matchAll(new RegExp(form.source, `${form.flags}g`))) {
    const before = text.slice(Math.max(0, match.index - 60), match.index);
    const after = text.slice(match.index + match[0].length).slice(0, 100);
    const isOrdinary = isOrdinaryAfter?.test(before) === true;
    const isDenied = isOrdinaryAfter !== undefined && NEGATION_AFTER.test(after);
    const isOwn = isOwnWork === true && isSelfDescriptionAt(text, match.index);
    if (!isOrdinary && !isDenied && !isOwn) return match.index;
  }
  return undefined;
}

function isSelfDescriptionAt(text: string, at: number): boolean {
  const start = Math.max(0, at - BEFORE_CHARS_MAX);
  const before = text.slice(start, at + 2);
  const last = Math.max(
    ...['. ', '! ', '? ', '\n'].map((end) => before.lastIndexOf(end, at - start)),
  );
  const rest = text.slice(start + last + 1, at + 200).trimStart();
  return isSelfDescription(rest.split(/(?<=[.!?])\s|\n/)[0] ?? '', last < 0 && start === 0);
}

/** Removes quotes and sentences about attacks: a detection tool names what it detects. */
function removeDetectionText(text: string): string {
  const isWatching = DETECTION_PHRASE.test(text);
  const quoteless = isWatching ? text.replaceAll(QUOTATION, '""') : text;
  return quoteless
    .split(/(?<=[.!?\n])(?=\s)/)
    .filter(
      (sentence) => !isAboutAttacks(sentence) && !(isWatching && DETECTION_PHRASE.test(sentence)),
    )
    .join('');
}

function isAboutAttacks(sentence: string): boolean {
  return ON_ATTACKS.test(sentence) || ON_TEXTS.test(sentence);
}

/** A sign in the structure of a clause rather than in a phrase. */
interface ClauseSign {
  readonly sign: string;
  readonly weight: number;
  readonly excerpt: string;
}

/** Returns the clause signs of a text, with the highest weight of each kind. */
export function findClauseSigns(text: string, place: TextContext = {}): readonly ClauseSign[] {
  const found = new Map<string, ClauseSign>();
  for (const part of splitClauses(gloss(text))) {
    const isOwn = place.isUnusual !== true && place.isOutput !== true && isPurposeStatement(part);
    const clause: Clause = isOwn ? { ...part, voice: 'own' } : part;
    for (const rule of CLAUSE_RULES) {
      const weight = rule.weigh(clause, place);
      const known = found.get(rule.sign)?.weight ?? 0;
      if (weight <= known) continue;
      found.set(rule.sign, { sign: rule.sign, weight, excerpt: clause.sentence.slice(0, 300) });
    }
  }
  return [...found.values()];
}
