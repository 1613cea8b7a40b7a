/** Maximum fields of a head. */
export const FIELDS_MAX = 100;

/** Reason why a head is not forwarded. */
export interface Refusal {
  readonly status: number;
  readonly why: string;
}

/** How a field that the router interprets is handled. */
type FieldHandling =
  /** Forwarded unchanged. */
  | 'kept'
  /** Ends at every hop (RFC 9110, section 7.6.1). */
  | 'hop'
  /** Set only by the router; values from outside are dropped. */
  | 'told';

/** A field that the router interprets; all others are forwarded unchanged. */
export interface Field {
  /** In lower case. */
  readonly name: string;
  readonly handling: FieldHandling;
  /** Position in the text, including the line break before it. */
  readonly from: number;
  /** Position in the text where its line ends. */
  readonly to: number;
  readonly value: string;
}

const FIELD_HANDLING: Readonly<Record<string, FieldHandling>> = {
  host: 'kept',
  'content-length': 'kept',
  'transfer-encoding': 'kept',
  connection: 'hop',
  'keep-alive': 'hop',
  'proxy-authenticate': 'hop',
  'proxy-authorization': 'hop',
  'proxy-connection': 'hop',
  te: 'hop',
  upgrade: 'hop',
  forwarded: 'told',
  'x-forwarded-for': 'told',
  'x-forwarded-host': 'told',
  'x-forwarded-proto': 'told',
  'x-forwarded-port': 'told',
  'x-real-ip': 'told',
};
/** By name, in lower case and in the usual capitalization. */
const KNOWN = new Map(
  Object.entries(FIELD_HANDLING).flatMap(([name, fate]) => {
    const known = { name, fate };
    const written = name.replace(/\b[a-z]/g, (letter) => letter.toUpperCase());
    return [[name, known] as const, [written, known] as const];
  }),
);

const CR = 13;
const LF = 10;
const TAB = 9;
const SPACE = 32;
const COLON = 58;
/** Character codes of field names and methods (RFC 9110, section 5.6.2). */
const TOKEN = createCharTable(/[!#$%&'*+.^_`|~0-9A-Za-z-]/);
/** Character codes of field values. */
const VALUE = createCharTable(/[\t\x20-\x7e\x80-\xff]/);
/** Prefilter by first letter and length, which saves the lookup for most names. */
const MAY_BE_KNOWN = new Uint8Array(1_024);
for (const name of KNOWN.keys()) MAY_BE_KNOWN[prefilterKey(name.charCodeAt(0), name.length)] = 1;

/**
 * Validates every field of a head and returns those that the router interprets.
 *
 * @param text - The head as Latin-1, without the empty line.
 * @param startEnd - Position where its first line ends.
 */
export function parseFields(text: string, startEnd: number): readonly Field[] | Refusal {
  const fields: Field[] = [];
  let count = 0;
  for (let from = startEnd; from < text.length; ) {
    if (count === FIELDS_MAX) return { status: 431, why: 'the request has too many header fields' };
    count += 1;
    const start = from + 2;
    const colon = isLineEnd(text, from) ? findTokenEnd(text, start) : start;
    if (colon === start || text.charCodeAt(colon) !== COLON) return malformedField();
    const to = findValueEnd(text, colon + 1);
    if (to < text.length && !isLineEnd(text, to)) return malformedField();
    const known = findKnown(text, start, colon);
    if (known !== undefined) {
      const value = trimBlanks(text, colon + 1, to);
      fields.push({ name: known.name, handling: known.fate, from, to, value });
    }
    from = to;
  }
  return fields;
}

/** Returns the first value of any field of a head; `name` is in lower case. */
export function findField(text: string, name: string): string | undefined {
  for (const line of text.split('\r\n').slice(1)) {
    const colon = line.indexOf(':');
    if (line.slice(0, colon).toLowerCase() === name)
      return trimBlanks(line, colon + 1, line.length);
  }
  return undefined;
}

/** Returns the end of a token that starts at `start`. */
export function findTokenEnd(text: string, start: number): number {
  let at = start;
  while (at < text.length && TOKEN[text.charCodeAt(at)] === 1) at += 1;
  return at;
}

/** Returns the end of a field value that starts at `start`. */
export function findValueEnd(text: string, start: number): number {
  let at = start;
  while (at < text.length && VALUE[text.charCodeAt(at)] === 1) at += 1;
  return at;
}

/** Returns a part of a text without surrounding spaces and tabs. */
export function trimBlanks(text: string, from: number, to: number): string {
  let start = from;
  let end = to;
  while (start < end && isBlank(text.charCodeAt(start))) start += 1;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

function findKnown(text: string, start: number, end: number) {
  if (MAY_BE_KNOWN[prefilterKey(text.charCodeAt(start), end - start)] !== 1) return undefined;
  const name = text.slice(start, end);
  return KNOWN.get(name) ?? KNOWN.get(name.toLowerCase());
}

/** Letters of either case have the same key. */
function prefilterKey(letter: number, length: number): number {
  return ((letter & 31) << 5) | (length & 31);
}

function isLineEnd(text: string, at: number): boolean {
  return text.charCodeAt(at) === CR && text.charCodeAt(at + 1) === LF;
}

function isBlank(code: number): boolean {
  return code === SPACE || code === TAB;
}

function createCharTable(allowed: RegExp): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, code) =>
    allowed.test(String.fromCharCode(code)) ? 1 : 0,
  );
}

function malformedField(): Refusal {
  return { status: 400, why: 'a header field is malformed' };
}
