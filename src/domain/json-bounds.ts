/** What JSON of a stranger may hold. */
export interface JsonBounds {
  /** Deepest nesting. */
  readonly depthMax: number;
  /** Most members and elements, over all objects and lists. */
  readonly membersMax: number;
}

/** Bounds of answers from outside: servers under audit, data sources, models. */
export const ANSWER_JSON: JsonBounds = { depthMax: 128, membersMax: 200_000 };

/** Bytes up to which no text can be bad enough to be looked at. */
const HARMLESS_BYTES = 1_024;
/** How far the end of a string is looked for byte by byte. */
const NEAR_BYTES = 64;

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPENING_LIST = 0x5b;
/** `[` and `{`, `]` and `}`: they differ in one bit. */
const CASE_BIT = 0x20;
const OPENING = 0x7b;
const CLOSING = 0x7d;

/**
 * Counts the levels and members of JSON before it is parsed: parsing four megabytes of brackets
 * holds the whole server up for seconds, and what is nested too deep overflows the stack of
 * whoever walks it.
 *
 * @returns The bound that is passed, or `undefined`. The parser says whether it is JSON at all.
 */
export function passedBound(body: Uint8Array, bounds: JsonBounds): keyof JsonBounds | undefined {
  if (body.byteLength <= HARMLESS_BYTES) return undefined;
  const { depthMax, membersMax } = bounds;
  let depth = 0;
  let members = 0;
  for (let at = 0; at < body.byteLength; at += 1) {
    const byte = body[at] as number;
    if (byte === QUOTE) at = endOfString(body, at + 1);
    else if (byte === COMMA) members += 1;
    else if (byte >= OPENING_LIST) {
      const step = stepOf(byte);
      depth += step;
      if (step > 0) members += 1;
    }
    if (depth > depthMax) return 'depthMax';
    if (members > membersMax) return 'membersMax';
  }
  return undefined;
}

/** Parses JSON of a stranger; `undefined` where it is none or passes a bound. */
export function parseBounded(text: string, bounds: JsonBounds = ANSWER_JSON): unknown {
  if (passedBound(new TextEncoder().encode(text), bounds) !== undefined) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function stepOf(byte: number): 1 | 0 | -1 {
  const bracket = byte | CASE_BIT;
  if (bracket === OPENING) return 1;
  return bracket === CLOSING ? -1 : 0;
}

/** Where the string ends, at its quote. */
function endOfString(body: Uint8Array, from: number): number {
  let at = from;
  while (at < body.byteLength) {
    const near = at + NEAR_BYTES;
    while (at < near && body[at] !== QUOTE) at += body[at] === BACKSLASH ? 2 : 1;
    if (at < near) return at;
    // A long one: leap to the next quote, and over the escapes before it.
    const quote = body.indexOf(QUOTE, at);
    if (quote < 0) break;
    if (!isEscaped(body, quote, at)) return quote;
    at = quote + 1;
  }
  return body.byteLength;
}

function isEscaped(body: Uint8Array, quote: number, from: number): boolean {
  let before = quote;
  while (before > from && body[before - 1] === BACKSLASH) before -= 1;
  return (quote - before) % 2 === 1;
}
