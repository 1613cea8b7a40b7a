/** Default length of a quoted third-party text, in characters. */
const QUOTE_CHARS_DEFAULT = 600;

/** Characters that are invisible, change the text direction, end a line or control a terminal. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]+/gu;
const LINE_BREAKS = /[\t\n\v\f\r\u0085\u2028\u2029]+/g;

/**
 * Formats third-party text as one shortened line without line breaks, control, direction or
 * invisible characters. It cannot start a line of its own in a response.
 */
export function toReadableLine(text: string, charsMax = QUOTE_CHARS_DEFAULT): string {
  // Four times the limit is enough to fill the line after removal.
  const line = text
    .slice(0, charsMax * 4)
    .replace(LINE_BREAKS, ' ')
    .replace(INVISIBLE, '')
    .replace(/\s+/g, ' ')
    .trim();
  if (line.length <= charsMax) return line;
  return `${line.slice(0, charsMax - 1).replace(/[\uD800-\uDBFF]$/, '')}\u2026`;
}

/** Formats third-party text as {@link toReadableLine} does, in quotes. */
export function quoteText(text: string, charsMax = QUOTE_CHARS_DEFAULT): string {
  return `"${toReadableLine(text, charsMax).replaceAll('"', "'")}"`;
}

/** Maximum characters of one line in a response. */
const LINE_CHARS_MAX = 16_000;
const INVISIBLE_EXCEPT_BREAKS = /(?![\t\n])[\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu;

/**
 * Joins the lines of a response. Each line stays a single line, whatever third-party text it
 * contains; only delimited blocks span several.
 *
 * @param blocks - Delimited third-party texts, see `wrapUntrusted`; appended after the lines.
 */
export function joinResponse(lines: readonly string[], blocks: readonly string[] = []): string {
  return [...lines.map(sanitizeLine), ...blocks.map(sanitizeBlock)].join('\n');
}

/** Removes line breaks and hidden characters but keeps indentation and spaces. */
function sanitizeLine(line: string): string {
  const kept = line.replace(LINE_BREAKS, ' ').replace(INVISIBLE, '');
  return kept.length <= LINE_CHARS_MAX ? kept : `${kept.slice(0, LINE_CHARS_MAX - 1)}\u2026`;
}

function sanitizeBlock(block: string): string {
  return block
    .replace(/\r\n?|[\v\f\u0085\u2028\u2029]/g, '\n')
    .replace(INVISIBLE_EXCEPT_BREAKS, '');
}
