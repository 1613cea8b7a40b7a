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
const BACKSLASH = 0x5c;
/** By byte: brackets go a level down or up. */
const LEVELS = makeCharTable({ '[': 1, '{': 1, ']': -1, '}': -1 });
/** By byte: what begins a member or an element. */
const MEMBERS = makeCharTable({ '[': 1, '{': 1, ',': 1 });
/** By byte: what has a meaning at all. */
const TOLD = makeCharTable({ '[': 1, '{': 1, ']': 1, '}': 1, ',': 1, '"': 1 });

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
  const end = body.byteLength;
  let depth = 0;
  let members = 0;
  for (let at = 0; at < end; at += 1) {
    const byte = body[at] as number;
    // Nearly all bytes stand for nothing.
    if (TOLD[byte] === 0) continue;
    if (byte === QUOTE) {
      at = endOfString(body, at + 1);
      continue;
    }
    depth += LEVELS[byte] as number;
    members += MEMBERS[byte] as number;
    if (depth > depthMax) return 'depthMax';
    if (members > membersMax) return 'membersMax';
    // The parser stops where more is closed than was opened.
    if (depth < 0) return undefined;
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

function makeCharTable(values: Readonly<Record<string, number>>): Int8Array {
  const table = new Int8Array(256);
  for (const [sign, value] of Object.entries(values)) table[sign.charCodeAt(0)] = value;
  return table;
}
