/** Normalizes spaces, quotes, dashes and case: the differences that a quotation may have. */
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

/**
 * Checks whether a quotation appears word for word in a text, ignoring spaces, case and punctuation
 * style.
 */
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
 * Yields the end positions of all matches, including overlapping ones. Uses Knuth-Morris-Pratt,
 * because a naive search takes quadratic time on repetitive texts.
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

/** Returns, by length of a prefix, its longest proper prefix that is also its suffix. */
function buildRestartTable(wanted: string): Int32Array {
  const restarts = new Int32Array(wanted.length + 1);
  let same = 0;
  for (let at = 1; at < wanted.length; at += 1) {
    same = sameAfter(wanted, restarts, { same, sign: wanted.charCodeAt(at) });
    restarts[at + 1] = same;
  }
  return restarts;
}

/** Returns the matched length after one more character. */
function sameAfter(
  wanted: string,
  restarts: Int32Array,
  { same, sign }: { readonly same: number; readonly sign: number },
): number {
  let kept = same;
  while (kept > 0 && wanted.charCodeAt(kept) !== sign) kept = restarts[kept] as number;
  return wanted.charCodeAt(kept) === sign ? kept + 1 : 0;
}

/** Checks whether a position has a letter or digit on both sides. */
function isInsideWord(text: string, at: number): boolean {
  return (
    /^[\p{L}\p{N}]{2}$/u.test(text.slice(Math.max(0, at - 1), at + 1)) &&
    !UNSPACED.test(text.slice(at, at + 1))
  );
}

const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;
