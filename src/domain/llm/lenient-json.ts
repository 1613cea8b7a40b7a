/** A value with its end position, or the position where parsing failed. */
export type LenientResult =
  | { readonly value: unknown; readonly end: number }
  | { readonly failedAt: number };

/** Maximum nesting depth. */
const DEPTH_MAX = 64;
/** Maximum length of a member name, in characters. */
const KEY_CHARS_MAX = 200;
/** Maximum length of a value, in characters. */
const VALUE_CHARS_MAX = 131_072;

const FAILED = Symbol('failed');
type ParsedValue = unknown;

/**
 * Closing quotes by opening quote. A text that opens with a curly quote may close with a plain one.
 */
const CLOSING_QUOTES: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  '`': '`',
  '\u201c': '\u201d\u201c"',
  '\u201d': '\u201d"',
  '\u201e': '\u201c\u201d"',
  '\u00ab': '\u00bb',
  '\u2018': "\u2019\u2018'",
  '\u2019': "\u2019'",
};
const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  b: '\b',
  f: '\f',
};
const BARE_VALUES: Readonly<Record<string, unknown>> = {
  true: true,
  false: false,
  null: null,
  none: null,
  undefined: null,
  nan: null,
};

const [BLANK, NO_BREAK] = [0x20, 0xa0];
const SPACE = /[\s\uFEFF]+/y;
const COMMENT = /\/\/[^\n\r]*|\/\*[\s\S]{0,500}?\*\/|#[^\n\r]*/y;
const PLAIN_TEXT = /[^\\"'`\u201c\u201d\u201e\u00ab\u00bb\u2018\u2019]+/y;
const BARE_KEY = /[A-Za-z_$][\w$-]{0,63}/y;
const BARE_VALUE = /[-+.\w%]{1,64}/y;
const NEXT_KEY =
  /(?:["'\u201c\u2018][^"'\u201d\u2019\n]{1,64}["'\u201d\u2019]|[A-Za-z_$][\w$-]{0,63})\s{0,8}:/y;
const NEXT_ELEMENT = /["'{[\u201c\u2018]|[-+.\d]|(?:true|false|null)\b/y;
const UNICODE = /[0-9a-fA-F]{4}/y;

/**
 * Parses one JSON value at a position of a text and tolerates unambiguous errors. These are line
 * breaks and quotes inside strings, extra or missing commas, comments, curly and single quotes,
 * bare words, and unclosed objects at the end of the text. Valid JSON gives the same value as
 * `JSON.parse`. Runs in time linear in the characters read.
 */
export function parseLenientJson(text: string, from: number): LenientResult {
  // Without lookahead, the first quote always ends a string, so that valid JSON parses exactly.
  const strict = parseAt(text, from, false);
  return 'value' in strict ? strict : parseAt(text, from, true);
}

function parseAt(text: string, from: number, looksAhead: boolean): LenientResult {
  const reader = new LenientParser(text, from, looksAhead);
  const value = reader.value(0, 'element');
  return value === FAILED ? { failedAt: reader.at } : { value, end: reader.at };
}

type StringRole = 'key' | 'member' | 'element';

class LenientParser {
  at: number;
  readonly #text: string;
  readonly #end: number;
  readonly #looksAhead: boolean;
  #openLists = 0;

  constructor(text: string, from: number, looksAhead: boolean) {
    this.#text = text;
    this.#end = from + VALUE_CHARS_MAX;
    this.#looksAhead = looksAhead;
    this.at = from;
  }

  value(depth: number, role: StringRole): ParsedValue {
    const sign = this.#peek();
    if (depth > DEPTH_MAX || sign === undefined) return FAILED;
    if (sign === '{') return this.#object(depth);
    if (sign === '[') return this.#list(depth);
    return CLOSING_QUOTES[sign] === undefined ? this.#bareWord() : this.#string(sign, role);
  }

  #object(depth: number): ParsedValue {
    const members: [string, unknown][] = [];
    this.at += 1;
    for (;;) {
      this.#skip();
      const sign = this.#peek();
      // At the end of the text only brackets are missing; the last value is complete.
      const isEnd = sign === undefined && members.length > 0 && this.#openLists === 0;
      if (sign === '}') this.at += 1;
      if (sign === '}' || isEnd) return Object.fromEntries(members);
      const key = this.#key(sign);
      if (key === FAILED) return FAILED;
      this.#skip();
      if (this.#peek() !== ':') return FAILED;
      this.at += 1;
      this.#skip();
      const value = this.value(depth + 1, 'member');
      if (value === FAILED) return FAILED;
      members.push([key as string, value]);
      if (!this.#skipComma('}')) return FAILED;
    }
  }

  /**
   * Skips a comma, or a line break in its place. Returns false if neither is present, or if text is
   * missing.
   */
  #skipComma(closing: string): boolean {
    const from = this.at;
    this.#skip();
    const sign = this.#peek();
    if (sign === closing || sign === undefined) return true;
    if (sign !== ',') return this.#text.slice(from, this.at).includes('\n');
    this.at += 1;
    this.#skip();
    return this.#peek() !== undefined;
  }

  #list(depth: number): ParsedValue {
    const items: unknown[] = [];
    this.at += 1;
    this.#openLists += 1;
    for (;;) {
      this.#skip();
      const sign = this.#peek();
      if (sign === undefined) return FAILED;
      if (sign === ']') {
        this.at += 1;
        this.#openLists -= 1;
        return items;
      }
      const item = this.value(depth + 1, 'element');
      if (item === FAILED) return FAILED;
      items.push(item);
      if (!this.#skipComma(']')) return FAILED;
    }
  }

  #key(sign: string | undefined): ParsedValue {
    if (sign === undefined) return FAILED;
    if (CLOSING_QUOTES[sign] !== undefined) return this.#string(sign, 'key');
    return this.#match(BARE_KEY) ?? FAILED;
  }

  #string(opening: string, place: StringRole): ParsedValue {
    const closers = CLOSING_QUOTES[opening] ?? '';
    const parts: string[] = [];
    const last = place === 'key' ? this.at + KEY_CHARS_MAX : this.#text.length;
    this.at += 1;
    while (this.at <= last) {
      parts.push(this.#match(PLAIN_TEXT) ?? '');
      const sign = this.#peek();
      if (sign === undefined) return FAILED;
      this.at += 1;
      if (closers.includes(sign) && this.#endsString(place)) return parts.join('');
      const piece = sign === '\\' ? this.#escape() : sign;
      if (piece === undefined) return FAILED;
      parts.push(piece);
    }
    return FAILED;
  }

  #escape(): string | undefined {
    const sign = this.#peek();
    if (sign === undefined) return undefined;
    this.at += 1;
    if (sign !== 'u') return ESCAPES[sign] ?? sign;
    const code = this.#match(UNICODE);
    return code === undefined ? 'u' : String.fromCharCode(Number.parseInt(code, 16));
  }

  /** Decides by the following characters whether a quote ends its string. */
  #endsString(place: StringRole): boolean {
    if (!this.#looksAhead) return true;
    const behind = this.#skipBlanks(this.at);
    const sign = this.#text[behind];
    if (sign === undefined) return true;
    if (place === 'key') return sign === ':';
    const isComment =
      sign === '#' || (sign === '/' && '/*'.includes(this.#text[behind + 1] ?? ' '));
    if (isComment) return true;
    const isMember = place === 'member';
    if (sign === (isMember ? '}' : ']')) return true;
    if (sign === ',') return this.#startsNext(this.#skipBlanks(behind + 1), isMember);
    // A comma is missing between two lines.
    const hasBreak = this.#text.slice(this.at, behind).includes('\n');
    return hasBreak && this.#startsNext(behind, isMember);
  }

  #startsNext(from: number, isMember: boolean): boolean {
    const sign = this.#text[from];
    if (sign === undefined || '}]/#'.includes(sign)) return true;
    const pattern = isMember ? NEXT_KEY : NEXT_ELEMENT;
    pattern.lastIndex = from;
    return pattern.test(this.#text);
  }

  #skipBlanks(from: number): number {
    let at = from;
    while (this.#text.charCodeAt(at) <= BLANK || this.#text.charCodeAt(at) === NO_BREAK) at += 1;
    return at;
  }

  #bareWord(): ParsedValue {
    const word = this.#match(BARE_VALUE);
    if (word === undefined) return FAILED;
    const lowerWord = word.toLowerCase();
    if (Object.hasOwn(BARE_VALUES, lowerWord)) return BARE_VALUES[lowerWord];
    const number = Number(word);
    return Number.isFinite(number) ? number : word;
  }

  #skip(): void {
    while (this.#match(SPACE) !== undefined || this.#match(COMMENT) !== undefined);
  }

  #peek(): string | undefined {
    return this.at < this.#end ? this.#text[this.at] : undefined;
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const [found] = pattern.exec(this.#text) ?? [];
    if (found !== undefined) this.at += found.length;
    return found;
  }
}
