/**
 * The sign that stands for a raised or lowered text on one line: `^` for 10^6, `_` for x_1, and
 * none for H2O, 1st or a mark without a sign before it. Programs of threads hold it as a text, so
 * it uses nothing outside of itself. A text of more than 200 characters gets no sign.
 *
 * @param tag - `sup` or `sub`, in any case.
 * @param before - The last signs before it, at most two.
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
