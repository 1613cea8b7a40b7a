import { yieldToEventLoop } from '../../../domain/common/yield-to-event-loop.ts';
import type { Doubts } from './doubts.ts';

/** Character limits: for all texts together, per text, and per piece. */
export interface TextBounds {
  readonly charsMax: number;
  readonly textCharsMax: number;
  readonly pieceCharsMax: number;
}

const WEIGHED_PIECE_CHARS = 8_000;
/** Limits for detecting instructions, which costs more than a character search. */
export const WEIGHED_BOUNDS: TextBounds = {
  charsMax: 400_000,
  textCharsMax: 100_000,
  pieceCharsMax: WEIGHED_PIECE_CHARS,
};
const SEARCHED_PIECE_CHARS = 50_000;
/** Limits for finding hidden characters, secrets, and deceptions. */
export const SEARCHED_BOUNDS: TextBounds = {
  charsMax: 4_000_000,
  textCharsMax: 400_000,
  pieceCharsMax: SEARCHED_PIECE_CHARS,
};
/** Overlap of consecutive pieces in characters, so that nothing is split across a cut. */
const OVERLAP_CHARS = 500;

/** Maximum number of characters of one text that a check reads at once. */
const BEGINNING_CHARS_MAX = 100_000;

/** Number of characters that were not examined. */
export interface OmittedText {
  chars: number;
}

/**
 * Yields the texts of a target in limited pieces, and lets other work run in between. Above the
 * limit, short texts come first, so that a long one cannot hide others.
 *
 * @param leftOut - Receives the number of characters not examined.
 */
export async function* readTextPieces<T extends { readonly text: string }>(
  texts: readonly T[],
  { charsMax, textCharsMax, pieceCharsMax }: TextBounds,
  leftOut: OmittedText,
): AsyncGenerator<T> {
  const all = texts.reduce((sum, { text }) => sum + text.length, 0);
  const ordered =
    all > charsMax ? texts.toSorted((one, other) => one.text.length - other.text.length) : texts;
  let left = charsMax;
  for (const one of ordered) {
    const room = Math.min(left, textCharsMax, one.text.length);
    left -= room;
    leftOut.chars += one.text.length - room;
    for (const text of splitPieces(one.text.slice(0, room), pieceCharsMax)) {
      yield text === one.text ? one : { ...one, text };
      await yieldToEventLoop();
    }
  }
}

/** Returns the start of a text for checks that read it at once. */
export function takeBeginning(
  text: string,
  leftOut: OmittedText,
  charsMax = BEGINNING_CHARS_MAX,
): string {
  leftOut.chars += Math.max(0, text.length - charsMax);
  return text.slice(0, charsMax);
}

function* splitPieces(text: string, pieceCharsMax: number): Generator<string> {
  for (let from = 0; from < text.length; from += pieceCharsMax - OVERLAP_CHARS) {
    yield text.slice(from, from + pieceCharsMax);
    if (from + pieceCharsMax >= text.length) return;
  }
}

/** Returns a report line about omitted text; `undefined` if nothing was omitted. */
export function describeOmitted({ chars }: OmittedText): string | undefined {
  return chars === 0 ? undefined : `${chars} characters of long texts were not examined.`;
}

/** Makes a run partial if text was omitted. */
export function addOmittedDoubt(doubts: Doubts, leftOut: OmittedText): void {
  const words = describeOmitted(leftOut);
  if (words !== undefined) doubts.add(words);
}
