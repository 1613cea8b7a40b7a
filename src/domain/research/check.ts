/** A text with single spaces, plain quotes and small letters: as much as a quotation may change. */
export function loose(text: string): string {
  return text
    .normalize('NFKC')
    .replaceAll(/[‘’ʼ]/g, "'")
    .replaceAll(/[“”]/g, '"')
    .replaceAll(/[‐‑‒–—]/g, '-')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .toLowerCase();
}

/** Tells whether a quotation stands in a text, word for word but for spaces, case and marks. */
export function isQuoted(quote: string, text: string): boolean {
  const wanted = loose(quote);
  if (wanted === '') return false;
  const found = loose(text);
  for (const end of endsIn(found, wanted)) {
    if (!isInsideWord(found, end - wanted.length) && !isInsideWord(found, end)) return true;
  }
  return false;
}

/**
 * Where the wanted text ends in another, overlaps included. No sign is read twice (Knuth, Morris
 * and Pratt): a search from each place again takes the square of the time where both repeat a part.
 */
function* endsIn(text: string, wanted: string): Generator<number> {
  if (!text.includes(wanted)) return;
  const restarts = buildRestartTable(wanted);
  let same = 0;
  for (let at = 0; at < text.length; at += 1) {
    same = sameAfter(wanted, restarts, { same, sign: text.charCodeAt(at) });
    if (same < wanted.length) continue;
    yield at + 1;
    same = restarts[same] as number;
  }
}

/** By length of a beginning: the longest shorter beginning that it ends with. */
function buildRestartTable(wanted: string): Int32Array {
  const restarts = new Int32Array(wanted.length + 1);
  let same = 0;
  for (let at = 1; at < wanted.length; at += 1) {
    same = sameAfter(wanted, restarts, { same, sign: wanted.charCodeAt(at) });
    restarts[at + 1] = same;
  }
  return restarts;
}

/** How many signs of the wanted text stand there after one more sign. */
function sameAfter(
  wanted: string,
  restarts: Int32Array,
  { same, sign }: { readonly same: number; readonly sign: number },
): number {
  let kept = same;
  while (kept > 0 && wanted.charCodeAt(kept) !== sign) kept = restarts[kept] as number;
  return wanted.charCodeAt(kept) === sign ? kept + 1 : 0;
}

/** Whether a place has a letter or digit on both sides. */
function isInsideWord(text: string, at: number): boolean {
  return (
    /^[\p{L}\p{N}]{2}$/u.test(text.slice(Math.max(0, at - 1), at + 1)) &&
    !UNSPACED.test(text.slice(at, at + 1))
  );
}

const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;
