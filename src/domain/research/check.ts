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
  for (let at = found.indexOf(wanted); at >= 0; at = found.indexOf(wanted, at + 1)) {
    const end = at + wanted.length;
    if (!isInsideWord(found, at) && !isInsideWord(found, end)) return true;
  }
  return false;
}

/** Whether a place has a letter or digit on both sides. */
function isInsideWord(text: string, at: number): boolean {
  return (
    /^[\p{L}\p{N}]{2}$/u.test(text.slice(Math.max(0, at - 1), at + 1)) &&
    !UNSPACED.test(text.slice(at, at + 1))
  );
}

const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;
