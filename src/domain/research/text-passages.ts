import type { ResearchDocument } from './document.ts';
import { PASSAGE_CHARS_MAX, PASSAGES_MAX, type Passage } from './passage.ts';

/**
 * Minimum length of a separate passage, in characters. Shorter sentences are joined with the next.
 */
const SEPARATE_CHARS_MIN = 80;
/** A line shorter than this without a full stop is a heading or a menu, in characters. */
const LINE_CHARS_MIN = 60;
const SENTENCE_END = /[.!?。！？…]["'”’)\]]*\s*$/;

/** Phrases that address a program instead of a reader. */
const ADDRESSES_PROGRAMS = [
  /\b(?:ignore|disregard|forget)\b.{0,40}\b(?:instructions?|prompts?|rules)\b/i,
  /\b(?:system|developer) (?:prompt|message)\b/i,
  /\byou are (?:now |no longer )?(?:an? )?(?:ai|language model|assistant|chatbot|llm)\b/i,
  /\b(?:as|dear|attention) (?:an? )?(?:ai|llm|language model)s?\b[,:]/i,
];

/** Passages of a text, verbatim, and the number of those omitted because they address programs. */
export interface TextPassages {
  readonly passages: readonly Passage[];
  readonly suspicious: number;
}

/** Splits a document into passages of whole sentences. Each is its text from `from` to `to`. */
export function splitPassages({ id, text }: Pick<ResearchDocument, 'id' | 'text'>): TextPassages {
  const passages: Passage[] = [];
  let suspicious = 0;
  for (const { from, to } of findProseLines(text)) {
    for (const range of joinShortSentences(text, findSentences(text, from, to))) {
      const passage = { document: id, text: text.slice(range.from, range.to), ...range };
      if (isSuspicious(passage.text)) suspicious += 1;
      else passages.push(passage);
    }
    if (passages.length >= PASSAGES_MAX) break;
  }
  return { passages: passages.slice(0, PASSAGES_MAX), suspicious };
}

/** Checks whether a text addresses programs instead of people. */
export function isSuspicious(text: string): boolean {
  return ADDRESSES_PROGRAMS.some((pattern) => pattern.test(text));
}

interface TextRange {
  readonly from: number;
  readonly to: number;
}

/** Returns the lines that are neither headings nor menus. */
function findProseLines(text: string): readonly TextRange[] {
  const places: TextRange[] = [];
  for (const { 0: line, index: from } of text.matchAll(/[^\n]+/g)) {
    const isProse = line.trim().length >= LINE_CHARS_MIN || SENTENCE_END.test(line);
    if (isProse && !isHeading(line.trim())) places.push({ from, to: from + line.length });
  }
  return places;
}

/** Checks for a wiki heading: `== History ==`. */
function isHeading(line: string): boolean {
  return line.startsWith('=') && line.endsWith('=') && /[^=]/.test(line);
}

const SENTENCES = new Intl.Segmenter('en', { granularity: 'sentence' });
/** Characters segmented at once: the time for a text of full stops grows with the square. */
const SEGMENTED_CHARS_MAX = 2_048;

function findSentences(text: string, from: number, to: number): readonly TextRange[] {
  const places: TextRange[] = [];
  for (const { segment, index } of segmentSentences(text.slice(from, to))) {
    const start = from + index + (segment.length - segment.trimStart().length);
    const end = start + segment.trim().length;
    if (end > start) places.push(...splitLongSentence(text, { from: start, to: end }));
  }
  return places;
}

/** Segments a line window by window. The last sentence of a window begins the next one. */
function* segmentSentences(line: string) {
  for (let from = 0; from < line.length; ) {
    const window = line.slice(from, avoidSurrogateSplit(line, from + SEGMENTED_CHARS_MAX));
    const sentences = [...SENTENCES.segment(window)];
    const isLast = from + window.length >= line.length;
    const whole = isLast || sentences.length === 1 ? sentences : sentences.slice(0, -1);
    for (const { segment, index } of whole) {
      yield { segment, index: from + index };
    }
    from += whole.reduce((chars, { segment }) => chars + segment.length, 0);
  }
}

/** Splits a long sentence into pieces between words. */
function splitLongSentence(text: string, { from, to }: TextRange): readonly TextRange[] {
  const places: TextRange[] = [];
  let start = from;
  while (to - start > PASSAGE_CHARS_MAX) {
    const space = start + text.slice(start, start + PASSAGE_CHARS_MAX + 1).lastIndexOf(' ');
    const end = space > start ? space : avoidSurrogateSplit(text, start + PASSAGE_CHARS_MAX);
    places.push({ from: start, to: end });
    start = space > start ? space + 1 : end;
  }
  return [...places, { from: start, to }];
}

/** Moves a position so that it does not split a surrogate pair. */
function avoidSurrogateSplit(text: string, at: number): number {
  return /[\uDC00-\uDFFF]/.test(text.charAt(at)) ? at - 1 : at;
}

function joinShortSentences(text: string, sentences: readonly TextRange[]): readonly TextRange[] {
  const places: TextRange[] = [];
  for (const sentence of sentences) {
    const last = places.at(-1);
    const isShort = last !== undefined && last.to - last.from < SEPARATE_CHARS_MIN;
    const fits = last !== undefined && sentence.to - last.from <= PASSAGE_CHARS_MAX;
    if (last !== undefined && isShort && fits) {
      places[places.length - 1] = { from: last.from, to: sentence.to };
    } else places.push(sentence);
  }
  return places.filter(({ from, to }) => /\p{L}{2}/u.test(text.slice(from, to)));
}
