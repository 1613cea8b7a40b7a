import { joinPattern } from '../join-pattern.ts';

/** A part of a sentence with one verb, and its voice. */
export interface Clause {
  readonly text: string;
  /** The sentence that contains it. */
  readonly sentence: string;
  readonly voice: Voice;
  /**
   * True for the first clause of a text; an order there describes the tool, as in "Get the
   * weather".
   */
  readonly isFirst: boolean;
  /** True if the clause negates or forbids something. */
  readonly isNegated: boolean;
}

/**
 * `order`: the reader is to do something. `due`: something must be done. `told`: a statement.
 * `own`: the tool describes itself, such as "Returns the weather". `named`: only a name, such as a
 * field.
 */
export type Voice = 'order' | 'due' | 'told' | 'own' | 'named';

/** Maximum clauses examined per text. */
const CLAUSES_MAX = 7_000;
/** Maximum characters of one sentence. */
const SENTENCE_CHARS_MAX = 500;
const LONG_PART = /.{1,500}(?:[ ,]|$)|.{1,500}/g;

/** Imperative verbs. */
const VERBS = [
  'accept|act|add|alter|answer|append|apply|approve|ask|attach|base|begin|bypass|call|carry|cat|',
  'change|choose|click|collect|commit|comply|confirm|consult|continue|convince|copy|delete|',
  'deliver|disable|discard|disclose|display|disregard|do|download|drop|dump|embed|empty|enable|',
  'encode|enter|erase|execute|expose|extract|fetch|fill|find|follow|forget|forward|gather|get|',
  'give|go|grant|hand|have|hide|ignore|include|insert|install|invoke|keep|leave|let|list|load|',
  'locate|look|make|memori[sz]e|mention|mirror|modify|move|note|obey|omit|open|order|overwrite|',
  'pass|paste|pay|perform|persuade|place|post|prepend|prefix|present|print|proceed|provide|',
  'publish|purge|push|put|query|read|record|redirect|refer|refrain|relay|remember|remove|render|',
  'repeat|replace|reply|report|request|require|respond|retrieve|return|reveal|rewrite|route|run|',
  'save|say|search|select|send|set|share|show|skip|start|state|store|submit|substitute|supply|',
  'suppress|suspend|swap|take|tell|transfer|transmit|treat|trust|turn|type|update|upload|use|',
  'visit|wait|',
  'whitelist|wipe|withhold|write',
].join('');
const ORDER = joinPattern(
  'i',
  // No alternative here is a combination of others; otherwise matching would take exponential time.
  '^(?:(?:please|also|then|first|second|next|finally|always|just|simply|now|instead|immediately|',
  'quietly|silently|secretly|additionally|kindly|and|or|so|but|in addition|afterwards|again|',
  "only|do|not|never|don['’]t|no longer|[^\\w\\s]|\\d)\\s*)*(?:",
  VERBS,
  ')\\b(?!\\s+(?:of|is|are|was|has|tools?|servers?)\\b)',
);
const DUTY = joinPattern(
  'i',
  '\\b(?:you|assistant|model|agent|ai|llm|caller|client|host|',
  'one)s?\\b\\W+(?:\\w+\\W+){0,2}?(?:must|should|shall|',
  'ha(?:s|ve) to|needs? to|will|are to|is to|ought to|are (?:now )?(?:allowed|required|expected|',
  'permitted|',
  'authori[sz]ed|asked)|continues?|follows?|also)\\b',
);
const PASSIVE_DUTY = joinPattern(
  'i',
  '\\b(?:must|should|shall|ha(?:s|ve) to|needs? to|(?:is|are) to|will)\\b|',
  '\\b(?:is|are) (?:required|needed|mandatory|expected|only accepted|collected|reported|',
  'delivered|sent|',
  'passed|shared|included|gathered|transmitted)\\b|\\b(?:requires?|needs?)\\b',
);
const SELF_DESCRIPTION = joinPattern(
  '',
  '^\\W*(?:\\w+ly\\s+|also\\s+|then\\s+)?[A-Z]?[a-z]+(?:s|es)\\b(?!\\s+(?:are|is|have|has|',
  'must|should|of)\\b)',
);
const STATEMENT_VERB = /\b(?:is|are|was|were|has|have|had|can|may|does|do|did|am|be)\b/i;
/** Describes when to use a tool, or what a flag means. */
const USAGE = joinPattern(
  'i',
  '^\\W*(?:(?:always |only )?(?:use|call) (?:this|it|the)(?: tool| function)?(?: only)? (?:to|',
  'when|for|if|after|before)\\b|',
  'use (?:to|when|for|if)\\b|whether\\b|if (?:true|set|false)\\b|set to (?:true|false)\\b)',
);
/** What follows describes a thing, not the reader. */
const RELATIVE = /\b(?:that|which|who|whose|what)\b/i;
const NEGATION = joinPattern(
  'i',
  "\\b(?:not|never|no|nor|neither|without|cannot|can't|don't|doesn't|won't|isn't|aren't|avoid|",
  "refuses?|refused|instead of|masked|redacted|cut out|left out|nobody|none)\\b|n[’']t\\b",
);

/** A member of a JSON example. */
const JSON_LINE = /^\s*"[^"]{1,60}"\s*:/;

/** Splits a text into clauses, in order. */
export function splitClauses(text: string): readonly Clause[] {
  const clauses: Clause[] = [];
  for (const sentence of splitSentences(text)) {
    for (const part of splitParts(sentence)) {
      if (clauses.length >= CLAUSES_MAX) return clauses;
      // "Runs without asking" is a single self-description.
      const before = /^without\b/i.test(part) ? clauses.at(-1) : undefined;
      const voice = before?.sentence === sentence ? before.voice : detectVoice(part);
      clauses.push({
        text: part,
        sentence,
        isFirst: clauses.length === 0,
        voice,
        isNegated: NEGATION.test(part),
      });
    }
  }
  return clauses;
}

/** Returns whether a sentence only describes the tool and asks nothing of the reader. */
export function isSelfDescription(sentence: string, isFirst = false): boolean {
  const [first, ...others] = splitClauses(sentence);
  if (first === undefined) return false;
  const isOwn = first.voice === 'own' || (isFirst && isPurposeStatement(first));
  return isOwn && !others.some(({ voice }) => voice === 'order' || voice === 'due');
}

/** Returns whether a clause states the purpose, as "Get the messages" at the start does. */
export function isPurposeStatement({ isFirst, voice, text }: Clause): boolean {
  return isFirst && voice === 'order' && !/\b(?:you|your)\b|https?:\/\/|@|[~/]\.\w/i.test(text);
}

/** Clause separators, and words that start a clause. */
const PARTS = joinPattern(
  'i',
  '(?:,|:(?!//)|[()（），]|\\s[-–—]\\s)\\s*|',
  '\\s+(?=without\\b|but\\b|so that\\b|and (?:then )?(?:\\w+ly )?(?:do not|never)\\b)',
);

/** Splits at sentence marks followed by a space, at line ends, and at marks of other scripts. */
function splitSentences(text: string): readonly string[] {
  return text
    .replace(/[^\S\n]+/g, ' ')
    .split(/(?<=[.!?;])\s+|[\n。！？；]+/)
    .filter((one) => one.trim() !== '' && !JSON_LINE.test(one))
    .flatMap(splitLong);
}

/** Splits an overlong sentence to bound the matching time per clause. */
function splitLong(sentence: string): readonly string[] {
  if (sentence.length <= SENTENCE_CHARS_MAX) return [sentence];
  return sentence.match(LONG_PART) ?? [];
}

// A part before a comma or after "without" has its own verb.
function splitParts(sentence: string): readonly string[] {
  return sentence
    .split(PARTS)
    .map((part) => part.trim())
    .filter((part) => part.length > 2);
}

function detectVoice(part: string): Voice {
  if (USAGE.test(part)) return 'own';
  if (DUTY.test(part)) return 'order';
  if (ORDER.test(part)) return 'order';
  if (SELF_DESCRIPTION.test(part) && !PASSIVE_DUTY.test(part.split(RELATIVE)[0] ?? ''))
    return 'own';
  if (PASSIVE_DUTY.test(part)) return 'due';
  return STATEMENT_VERB.test(part) ? 'told' : 'named';
}
