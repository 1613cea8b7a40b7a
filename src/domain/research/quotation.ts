/** Normalizes spaces, quotes, dashes and case: the differences that a quotation may have. */
export function normalizeQuote(text: string): string {
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
  const normalizedQuote = normalizeQuote(quote);
  if (normalizedQuote === '') return false;
  const found = normalizeQuote(text);
  for (const end of findMatchEnds(found, normalizedQuote)) {
    if (!isInsideWord(found, end - normalizedQuote.length) && !isInsideWord(found, end))
      return true;
  }
  return false;
}

/**
 * Yields the end positions of all matches, including overlapping ones. Uses Knuth-Morris-Pratt,
 * because a naive search takes quadratic time on repetitive texts.
 */
function* findMatchEnds(text: string, pattern: string): Generator<number> {
  if (!text.includes(pattern)) return;
  const restarts = buildRestartTable(pattern);
  let same = 0;
  for (let at = 0; at < text.length; at += 1) {
    same = advanceMatch(pattern, restarts, { same, sign: text.charCodeAt(at) });
    if (same < pattern.length) continue;
    yield at + 1;
    same = restarts[same] as number;
  }
}

/** Returns, by length of a prefix, its longest proper prefix that is also its suffix. */
function buildRestartTable(wanted: string): Int32Array {
  const restarts = new Int32Array(wanted.length + 1);
  let same = 0;
  for (let at = 1; at < wanted.length; at += 1) {
    same = advanceMatch(wanted, restarts, { same, sign: wanted.charCodeAt(at) });
    restarts[at + 1] = same;
  }
  return restarts;
}

/** Returns the matched length after one more character. */
function advanceMatch(
  wanted: string,
  restarts: Int32Array,
  { same, sign }: { readonly same: number; readonly sign: number },
): number {
  let matched = same;
  while (matched > 0 && wanted.charCodeAt(matched) !== sign) matched = restarts[matched] as number;
  return wanted.charCodeAt(matched) === sign ? matched + 1 : 0;
}

/** Checks whether a position has a letter or digit on both sides. */
function isInsideWord(text: string, at: number): boolean {
  return (
    /^[\p{L}\p{N}]{2}$/u.test(text.slice(Math.max(0, at - 1), at + 1)) &&
    !UNSPACED_SCRIPT.test(text.slice(at, at + 1))
  );
}

const UNSPACED_SCRIPT = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;
