/** How many characters are looked at: of all texts together, and of one. */
export interface TextBounds {
  readonly charsMax: number;
  readonly textCharsMax: number;
}

/** What was not looked at. */
export interface LeftOut {
  chars: number;
}

/**
 * Goes through the texts of a target within bounds, and gives everybody else a turn between two of
 * them. Where they are too many, the short ones come first, so that a long one hides nothing.
 *
 * @param leftOut - Is told what was not looked at.
 */
export async function* textTurns<T extends { readonly text: string }>(
  texts: readonly T[],
  { charsMax, textCharsMax }: TextBounds,
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
    if (room === 0) continue;
    yield room === one.text.length ? one : { ...one, text: one.text.slice(0, room) };
    await nextTurn();
  }
}

/** Lets others have their turn. */
export async function nextTurn(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

/** Says what was left out, for the report; `undefined` where it was nothing. */
export function leftOutInWords({ chars }: LeftOut): string | undefined {
  return chars === 0 ? undefined : `${chars} characters of long texts were not looked at.`;
}
