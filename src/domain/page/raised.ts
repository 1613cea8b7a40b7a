/**
 * Returns the mark of superscript or subscript in plain text: `^` for 10^6, `_` for x_1. Returns
 * none for H2O, 1st, a mark without a preceding character, and a text of more than 200 characters.
 * Worker programs contain the source text of this function, so it must be self-contained.
 *
 * @param tag - `sup` or `sub`, in any case.
 * @param before - The preceding characters, at most two.
 */
export function raisedMark(tag: string, before: string, text: string): string {
  const RAISED_CHARS_MAX = 200;
  if (text.length > RAISED_CHARS_MAX) return '';
  if (!/[\p{L}\p{N})\]]$/u.test(before) || !/[\p{L}\p{N}]/u.test(text)) return '';
  if (tag.toLowerCase() === 'sub') {
    return /^\p{N}+$/u.test(text) && /(?:[A-Z][a-z]?|\))$/.test(before) ? '' : '_';
  }
  const endings = /^(?:st|nd|rd|th|e|er|re|o|a|ème|[ºª])$/i;
  const isEnding = /\p{N}$/u.test(before) && endings.test(text);
  return isEnding || /^(?:tm|sm)$/i.test(text) ? '' : '^';
}
