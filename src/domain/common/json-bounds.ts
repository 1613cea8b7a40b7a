/** Limits for untrusted JSON. */
export interface JsonBounds {
  /** Maximum nesting depth. */
  readonly depthMax: number;
  /** Maximum number of members and elements over all objects and arrays. */
  readonly membersMax: number;
}

/** Limits for external responses: audited servers, data sources, models. */
export const RESPONSE_JSON_BOUNDS: JsonBounds = { depthMax: 128, membersMax: 200_000 };

/** Texts up to this size in bytes are always accepted. */
const UNCHECKED_BYTES_MAX = 1_024;
/** Distance within which the end of a string is searched byte by byte. */
const BYTEWISE_SEARCH_BYTES = 64;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** Change of the nesting depth per byte. */
const DEPTH_CHANGE = createCharTable({ '[': 1, '{': 1, ']': -1, '}': -1 });
/** Bytes that start a member or an element. */
const MEMBER_START = createCharTable({ '[': 1, '{': 1, ',': 1 });
/** Bytes that have structural meaning. */
const STRUCTURAL = createCharTable({ '[': 1, '{': 1, ']': 1, '}': 1, ',': 1, '"': 1 });

/**
 * Counts the depth and members of JSON before it is parsed. Parsing 4 MB of brackets blocks the
 * server for seconds, and deep nesting overflows the stack of recursive code.
 *
 * @returns The exceeded limit, or `undefined`. Does not validate the JSON.
 */
export function findExceededBound(
  body: Uint8Array,
  bounds: JsonBounds,
): keyof JsonBounds | undefined {
  if (body.byteLength <= UNCHECKED_BYTES_MAX) return undefined;
  const { depthMax, membersMax } = bounds;
  const end = body.byteLength;
  let depth = 0;
  let members = 0;
  for (let at = 0; at < end; at += 1) {
    const byte = body[at] as number;
    // Fast path: most bytes have no structural meaning.
    if (STRUCTURAL[byte] === 0) continue;
    if (byte === QUOTE) {
      at = findStringEnd(body, at + 1);
      continue;
    }
    depth += DEPTH_CHANGE[byte] as number;
    members += MEMBER_START[byte] as number;
    if (depth > depthMax) return 'depthMax';
    if (members > membersMax) return 'membersMax';
    // The parser fails here: more brackets are closed than opened.
    if (depth < 0) return undefined;
  }
  return undefined;
}

/** Parses untrusted JSON. Returns `undefined` if it is invalid or exceeds a limit. */
export function parseJsonWithin(text: string, bounds: JsonBounds = RESPONSE_JSON_BOUNDS): unknown {
  if (findExceededBound(new TextEncoder().encode(text), bounds) !== undefined) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Returns the position of the closing quote. */
function findStringEnd(body: Uint8Array, from: number): number {
  let at = from;
  while (at < body.byteLength) {
    const near = at + BYTEWISE_SEARCH_BYTES;
    while (at < near && body[at] !== QUOTE) at += body[at] === BACKSLASH ? 2 : 1;
    if (at < near) return at;
    // A long string: jump to the next quote and check the backslashes before it.
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

function createCharTable(values: Readonly<Record<string, number>>): Int8Array {
  const table = new Int8Array(256);
  for (const [sign, value] of Object.entries(values)) table[sign.charCodeAt(0)] = value;
  return table;
}
