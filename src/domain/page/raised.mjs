// @ts-check

const RAISED_CHARS_MAX = 200;
const ENDINGS = /^(?:st|nd|rd|th|e|er|re|o|a|ème|[ºª])$/i;

/**
 * Returns the mark of superscript or subscript in plain text: `^` for 10^6, `_` for x_1. Returns
 * none for H2O, 1st, a mark without a preceding character, and a text of more than 200 characters.
 *
 * @param {string} tag - `sup` or `sub`, in any case.
 * @param {string} before - The preceding characters, at most two.
 * @param {string} text - The raised or lowered text.
 * @returns {string} The mark, or an empty string.
 */
export function raisedMark(tag, before, text) {
  if (text.length > RAISED_CHARS_MAX) return '';
  if (!/[\p{L}\p{N})\]]$/u.test(before) || !/[\p{L}\p{N}]/u.test(text)) return '';
  if (tag.toLowerCase() === 'sub') {
    return /^\p{N}+$/u.test(text) && /(?:[A-Z][a-z]?|\))$/.test(before) ? '' : '_';
  }
  const isEnding = /\p{N}$/u.test(before) && ENDINGS.test(text);
  return isEnding || /^(?:tm|sm)$/i.test(text) ? '' : '^';
}
