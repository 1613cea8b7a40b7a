/** Maximum number of parts in a pattern; longer patterns are not evaluated. */
const PATTERN_PARTS_MAX = 24;
/** Maximum length of a pattern, and of a text to match. */
const PATTERN_CHARS_MAX = 200;
const TEXT_CHARS_MAX = 200;

/** A character class with its minimum and maximum count. */
interface Part {
  readonly accepts: (character: string) => boolean;
  readonly least: number;
  readonly most: number;
}

/**
 * Compiles simple patterns: characters, classes, `\d`, `\w`, `\s` and quantifiers in sequence
 * between `^` and `$`. Third-party patterns are never executed as regular expressions, because
 * short ones can run forever.
 *
 * @returns A matcher with a bounded number of steps, or `undefined` if the pattern is not simple.
 */
export function compileSimplePattern(pattern: string): ((text: string) => boolean) | undefined {
  if (pattern.length > PATTERN_CHARS_MAX) return undefined;
  const isFromStart = pattern.startsWith('^');
  const isToEnd = /(?<!\\)\$$/.test(pattern);
  const inner = pattern.slice(isFromStart ? 1 : 0, isToEnd ? -1 : undefined);
  const parts = parseParts(inner);
  if (parts === undefined) return undefined;
  return (text) => {
    if (text.length > TEXT_CHARS_MAX) return false;
    let positions = isFromStart
      ? new Set([0])
      : new Set(Array.from({ length: text.length + 1 }).keys());
    for (const part of parts) positions = advancePositions(part, text, positions);
    return isToEnd ? positions.has(text.length) : positions.size > 0;
  };
}

function advancePositions(part: Part, text: string, places: ReadonlySet<number>): Set<number> {
  const after = new Set<number>();
  for (const from of places) {
    let at = from;
    for (let count = 0; ; count += 1) {
      if (count >= part.least) after.add(at);
      if (count >= part.most || at >= text.length || !part.accepts(text[at] ?? '')) break;
      at += 1;
    }
  }
  return after;
}

const ATOM = /(\[\^?(?:\\.|[^\]\\])+\]|\\.|[^\\[\](){}|*+?^$])(\{\d{1,4}(?:,\d{0,4})?\}|[*+?])?/y;

function parseParts(inner: string): readonly Part[] | undefined {
  const parts: Part[] = [];
  ATOM.lastIndex = 0;
  while (ATOM.lastIndex < inner.length) {
    const found = ATOM.exec(inner);
    const accepts = found === null ? undefined : parseAtom(found[1] ?? '');
    if (found === null || accepts === undefined || parts.length >= PATTERN_PARTS_MAX)
      return undefined;
    parts.push({ accepts, ...parseQuantifier(found[2] ?? '') });
  }
  return parts;
}

function parseQuantifier(times: string): { readonly least: number; readonly most: number } {
  const most = Number.POSITIVE_INFINITY;
  if (times === '') return { least: 1, most: 1 };
  if (times === '?') return { least: 0, most: 1 };
  if (times === '*') return { least: 0, most };
  if (times === '+') return { least: 1, most };
  const [least = '0', top] = times.slice(1, -1).split(',');
  if (top === undefined) return { least: Number(least), most: Number(least) };
  return { least: Number(least), most: top === '' ? most : Number(top) };
}

type CharacterMatcher = Part['accepts'];

const CLASSES: Readonly<Record<string, CharacterMatcher>> = {
  '\\d': (one) => /\d/.test(one),
  '\\w': (one) => /\w/.test(one),
  '\\s': (one) => /\s/.test(one),
};

function parseAtom(atom: string): CharacterMatcher | undefined {
  if (atom === '.') return (one) => one !== '\n';
  if (!atom.startsWith('[')) return parseMember(atom);
  const isNot = atom.startsWith('[^');
  const members = parseClassMembers(atom.slice(isNot ? 2 : 1, -1));
  if (members === undefined) return undefined;
  return (one) => members.some((accepts) => accepts(one)) !== isNot;
}

function parseClassMembers(inside: string): readonly CharacterMatcher[] | undefined {
  const found: CharacterMatcher[] = [];
  const tokens = inside.match(/\\.|[^\\]/g) ?? [];
  for (let at = 0; at < tokens.length; at += 1) {
    const from = tokens[at] ?? '';
    const to = tokens[at + 2];
    const isRange = tokens[at + 1] === '-' && to !== undefined;
    const accepts = isRange ? matchRange(from, to) : parseMember(from);
    if (accepts === undefined) return undefined;
    found.push(accepts);
    if (isRange) at += 2;
  }
  return found;
}

function matchRange(from: string, to: string): CharacterMatcher | undefined {
  if (from.length !== 1 || to.length !== 1) return undefined;
  return (one) => from <= one && one <= to;
}

/** Accepts a class or a literal character. A letter after a backslash may mean anything else. */
function parseMember(token: string): CharacterMatcher | undefined {
  if (!token.startsWith('\\')) return (one) => one === token;
  if (/^\\[A-Za-z0-9]$/.test(token)) return CLASSES[token];
  return (one) => one === token[1];
}
