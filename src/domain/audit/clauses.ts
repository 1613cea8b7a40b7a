import { pattern } from './pattern.ts';

/** A part of a sentence with one verb of its own, and how it speaks. */
export interface Clause {
  readonly text: string;
  /** The sentence that it is a part of. */
  readonly sentence: string;
  readonly voice: Voice;
  /** It says what is not, or is not to be done. */
  readonly isNegated: boolean;
}

/**
 * `order`: the reader is to do something; `told`: something is so, or has to be; `own`: what the
 * tool itself does, such as "Returns the weather".
 */
export type Voice = 'order' | 'told' | 'own';

/** Clauses of one text that are looked at. */
const CLAUSES_MAX = 2_000;

/** Verbs in the form of an order. */
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
  'suppress|suspend|swap|take|tell|transfer|transmit|treat|trust|turn|type|update|upload|use|visit|wait|',
  'whitelist|wipe|withhold|write',
].join('');
const ORDER = pattern(
  'i',
  '^(?:(?:please|also|then|first|second|next|finally|always|just|simply|now|instead|immediately|',
  'quietly|silently|secretly|additionally|kindly|and|or|so|but|in addition|afterwards|again|',
  'only|do|not|never|do not|don.t|no longer|\\W|\\d)\\s*)*(?:',
  VERBS,
  ')\\b(?!\\s+(?:of|is|are|was|has|tools?|servers?)\\b)',
);
const DUTY = pattern(
  'i',
  '\\b(?:you|assistant|model|agent|ai|llm|caller|client|host|one)s?\\b\\W+(?:\\w+\\W+){0,2}?(?:must|should|shall|',
  'ha(?:s|ve) to|needs? to|will|are to|is to|ought to|are (?:now )?(?:allowed|required|expected|permitted|',
  'authori[sz]ed|asked)|continues?|follows?|also)\\b',
);
const PASSIVE_DUTY = pattern(
  'i',
  '\\b(?:must|should|shall|ha(?:s|ve) to|needs? to|(?:is|are) to|will)\\b|',
  '\\b(?:is|are) (?:required|needed|mandatory|expected|only accepted|collected|reported|delivered|sent|',
  'passed|shared|included|gathered|transmitted)\\b|\\b(?:requires?|needs?)\\b',
);
const OWN = /^\W*(?:\w+ly\s+|also\s+|then\s+)?[A-Z]?[a-z]+(?:s|es)\b(?!\s+(?:are|is|have|has|must|should|of)\b)/;
const NEGATION = pattern(
  'i',
  "\\b(?:not|never|no|nor|neither|without|cannot|can't|don't|doesn't|won't|isn't|aren't|avoid|",
  'refuses?|refused|instead of|masked|redacted|cut out|left out|nobody|none)\\b|n[’\']t\\b',
);

/** The clauses of a text, in their order. */
export function clausesOf(text: string): readonly Clause[] {
  const clauses: Clause[] = [];
  for (const sentence of sentencesOf(text)) {
    for (const part of partsOf(sentence)) {
      if (clauses.length >= CLAUSES_MAX) return clauses;
      clauses.push({
        text: part,
        sentence,
        voice: voiceOf(part),
        isNegated: NEGATION.test(part),
      });
    }
  }
  return clauses;
}

/** Sentences end at a mark with a blank behind, at a line end, and at marks of other scripts. */
function sentencesOf(text: string): readonly string[] {
  return text.split(/(?<=[.!?;])\s+|[\n。！？；]+/).filter((one) => one.trim() !== '');
}

// What stands before a comma or behind "without" has a verb of its own.
function partsOf(sentence: string): readonly string[] {
  return sentence
    .split(/(?:,|:(?!\/\/)|[()（），]|\s[-–—]\s)\s*|\s+(?=without\b|but\b|so that\b|and (?:then )?(?:\w+ly )?(?:do not|never)\b)/i)
    .map((part) => part.trim())
    .filter((part) => part.length > 2);
}

function voiceOf(part: string): Voice {
  if (DUTY.test(part)) return 'order';
  if (ORDER.test(part)) return 'order';
  if (OWN.test(part) && !PASSIVE_DUTY.test(part)) return 'own';
  return 'told';
}
