import { RE2JS } from 're2js';
import { AppError } from '../../common/error.ts';

/** Maximum length of a filter, in characters. */
export const PATTERN_CHARS_MAX = 512;

/** A compiled filter of one value. */
export interface ValuePattern {
  /** The only matching value, if there is exactly one. */
  readonly exact?: string;
  /** Runs in time linear in the length of the text, for every filter. */
  matches(value: string): boolean;
}

const SLASHED_EXPRESSION = /^\/(.+)\/(i?)$/s;
const EXPRESSION_CHARACTERS = /[\\^$|+?()[\]{}]/;

/**
 * Compiles a label filter: an exact value, a value with `*` wildcards, or a regular expression
 * between slashes such as `/^5\d\d$/`. An expression matches anywhere unless anchored. A path such
 * as `/users/` without regular expression characters is an exact value.
 *
 * @throws {AppError} `INPUT_INVALID`
 */
export function compileLabelPattern(filter: string, label: string): ValuePattern {
  const expression = compileExpression(filter, label);
  const isPath =
    label === 'path' && !EXPRESSION_CHARACTERS.test(SLASHED_EXPRESSION.exec(filter)?.[1] ?? '');
  if (expression !== undefined && !isPath) return expression;
  if (!filter.includes('*')) return { exact: filter, matches: (value) => value === filter };
  const pieces = filter.split('*');
  return { matches: (value) => matchesWhole(pieces, value) };
}

/**
 * Compiles a text filter: case-insensitive text with `*` wildcards, or a regular expression between
 * slashes (`/…/i` ignores case).
 *
 * @throws {AppError} `INPUT_INVALID`
 */
export function compileTextPattern(filter: string): ValuePattern {
  const expression = compileExpression(filter, 'text');
  if (expression !== undefined) return expression;
  const pieces = filter.toLowerCase().split('*');
  return { matches: (value) => findPieces(pieces, value.toLowerCase(), 0) >= 0 };
}

function compileExpression(filter: string, label: string): ValuePattern | undefined {
  if (filter.length === 0 || filter.length > PATTERN_CHARS_MAX) {
    throw filterError(label, filter, `it must have 1 to ${PATTERN_CHARS_MAX} characters`);
  }
  const [, inside, flags] = SLASHED_EXPRESSION.exec(filter) ?? [];
  if (inside === undefined) return undefined;
  const isAnyCase = flags === 'i';
  if (!isAnyCase && !EXPRESSION_CHARACTERS.test(inside) && !/[.*]/.test(inside)) {
    return { matches: (value) => value.includes(inside) };
  }
  try {
    const compiled = RE2JS.compile(inside, isAnyCase ? RE2JS.CASE_INSENSITIVE : 0);
    return { matches: (value) => compiled.test(value) };
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw filterError(label, filter, `it must be a valid RE2 expression (${reason})`, cause);
  }
}

/** Matches the first piece at the start of the value and the last at its end. */
function matchesWhole(pieces: readonly string[], value: string): boolean {
  const first = pieces[0] ?? '';
  const last = pieces.at(-1) ?? '';
  if (value.length < first.length + last.length) return false;
  if (!value.startsWith(first) || !value.endsWith(last)) return false;
  const inner = value.slice(0, value.length - last.length);
  return findPieces(pieces.slice(1, -1), inner, first.length) >= 0;
}

/**
 * Returns the end of the last piece, matching pieces in order, or -1. The first match of each piece
 * suffices.
 */
function findPieces(pieces: readonly string[], value: string, from: number): number {
  let at = from;
  for (const piece of pieces) {
    const found = value.indexOf(piece, at);
    if (found < 0) return -1;
    at = found + piece.length;
  }
  return at;
}

function filterError(label: string, filter: string, allowed: string, cause?: unknown): AppError {
  const received = filter.slice(0, 80);
  return new AppError('INPUT_INVALID', {
    message: `${label} has the filter "${received}"; ${allowed}`,
    data: { parameter: label, received },
    cause,
  });
}
