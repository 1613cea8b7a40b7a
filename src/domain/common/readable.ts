/** Characters of a text of somebody else that stand in a line of an answer. */
const QUOTE_CHARS_MAX = 600;

/** What is not shown, turns the direction of writing, ends a line or commands a terminal. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]+/gu;
const BREAKS = /[\t\n\v\f\r\u0085\u2028\u2029]+/g;

/**
 * A text of somebody else on one line: without line breaks, control, direction and invisible
 * characters, and shortened. It cannot begin a line of its own in an answer.
 */
export function readableLine(text: string, charsMax = QUOTE_CHARS_MAX): string {
  // Four times as much fills the line, whatever is taken out of common texts.
  const line = text
    .slice(0, charsMax * 4)
    .replace(BREAKS, ' ')
    .replace(UNSEEN, '')
    .replace(/\s+/g, ' ')
    .trim();
  if (line.length <= charsMax) return line;
  return `${line.slice(0, charsMax - 1).replace(/[\uD800-\uDBFF]$/, '')}\u2026`;
}

/** A text of somebody else in quotes on one line, as {@link readableLine} makes it. */
export function quoteText(text: string, charsMax = QUOTE_CHARS_MAX): string {
  return `"${readableLine(text, charsMax).replaceAll('"', "'")}"`;
}

/** Characters of one line of an answer. */
const LINE_CHARS_MAX = 16_000;
const UNSEEN_BUT_BREAKS = /(?![\t\n])[\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu;

/**
 * Puts the lines of an answer together. A line stays one, whatever texts of others stand in it;
 * only a block, which its own marks enclose, has several.
 *
 * @param blocks - Enclosed texts of others, see `untrustedBlock`; they follow the lines.
 */
export function joinAnswer(lines: readonly string[], blocks: readonly string[] = []): string {
  return [...lines.map(keepLine), ...blocks.map(keepBlock)].join('\n');
}

/** A line with its indentation and spaces, without what could end it or hide in it. */
function keepLine(line: string): string {
  const kept = line.replace(BREAKS, ' ').replace(UNSEEN, '');
  return kept.length <= LINE_CHARS_MAX ? kept : `${kept.slice(0, LINE_CHARS_MAX - 1)}\u2026`;
}

function keepBlock(block: string): string {
  return block.replace(/\r\n?|[\v\f\u0085\u2028\u2029]/g, '\n').replace(UNSEEN_BUT_BREAKS, '');
}
