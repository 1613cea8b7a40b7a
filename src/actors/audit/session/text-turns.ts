import { nextTurn } from '../../../domain/common/next-turn.ts';
import type { Doubts } from './doubts.ts';

/** How many characters are looked at: of all texts together, of one, and in one turn. */
export interface TextBounds {
  readonly charsMax: number;
  readonly textCharsMax: number;
  readonly pieceCharsMax: number;
}

const WEIGHED_PIECE_CHARS = 8_000;
/** What is weighed for orders to a model, which costs more than a search for characters. */
export const WEIGHED: TextBounds = {
  charsMax: 400_000,
  textCharsMax: 100_000,
  pieceCharsMax: WEIGHED_PIECE_CHARS,
};
const SEARCHED_PIECE_CHARS = 50_000;
/** What is searched for hidden characters, for secrets and for what deceives. */
export const SEARCHED: TextBounds = {
  charsMax: 4_000_000,
  textCharsMax: 400_000,
  pieceCharsMax: SEARCHED_PIECE_CHARS,
};
/** Characters that a piece repeats of the one before: what stands across a cut is seen whole. */
const OVERLAP_CHARS = 500;

/** Characters that a check reads of one text in one turn. */
const BEGINNING_CHARS_MAX = 100_000;

/** What was not looked at. */
export interface LeftOut {
  chars: number;
}

/**
 * Goes through the texts of a target in pieces within bounds, and gives everybody else a turn
 * between two of them. Where the texts are too many, the short ones come first, so that a long one
 * hides nothing.
 *
 * @param leftOut - Is told what was not looked at.
 */
export async function* textTurns<T extends { readonly text: string }>(
  texts: readonly T[],
  { charsMax, textCharsMax, pieceCharsMax }: TextBounds,
  leftOut: LeftOut,
): AsyncGenerator<T> {
  const all = texts.reduce((sum, { text }) => sum + text.length, 0);
  const ordered =
    all > charsMax ? texts.toSorted((one, other) => one.text.length - other.text.length) : texts;
  let left = charsMax;
  for (const one of ordered) {
    const room = Math.min(left, textCharsMax, one.text.length);
    left -= room;
    leftOut.chars += one.text.length - room;
    for (const text of piecesOf(one.text.slice(0, room), pieceCharsMax)) {
      yield text === one.text ? one : { ...one, text };
      await nextTurn();
    }
  }
}

/** The beginning of one text, for checks that read it in one turn. */
export function takeBeginning(
  text: string,
  leftOut: LeftOut,
  charsMax = BEGINNING_CHARS_MAX,
): string {
  leftOut.chars += Math.max(0, text.length - charsMax);
  return text.slice(0, charsMax);
}

function* piecesOf(text: string, pieceCharsMax: number): Generator<string> {
  for (let from = 0; from < text.length; from += pieceCharsMax - OVERLAP_CHARS) {
    yield text.slice(from, from + pieceCharsMax);
    if (from + pieceCharsMax >= text.length) return;
  }
}

/** Says what was left out, for the report; `undefined` where it was nothing. */
export function leftOutInWords({ chars }: LeftOut): string | undefined {
  return chars === 0 ? undefined : `${chars} characters of long texts were not looked at.`;
}

/** Makes a run partial where something was left out. */
export function noteLeftOut(doubts: Doubts, leftOut: LeftOut): void {
  const words = leftOutInWords(leftOut);
  if (words !== undefined) doubts.note(words);
}
