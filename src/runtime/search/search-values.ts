import { errorMessage } from '../effect/effect-error.ts';
import { EngineError } from '../engine/error.ts';
import { isName } from '../engine/name.ts';
import type { ListQuery } from '../engine/types.ts';
import { sha256Prefix } from '../value/state-hash.ts';
import type {
  SearchAttributes,
  SearchRange,
  SearchValue,
  SearchValues,
  SearchWhere,
} from './search-types.ts';
import { SEARCH_CHARS_MAX } from './search-types.ts';

/** Maximum attributes of a kind. */
export const ATTRIBUTES_MAX = 32;
/** Maximum length of the name of an attribute, in characters. */
const ATTRIBUTE_CHARS_MAX = 64;
const TYPES = ['string', 'number', 'boolean'];

/** Returns what is wrong with the search attributes of a definition; empty if nothing is. */
export function findSearchErrors(search: SearchAttributes = {}): readonly string[] {
  const names = Object.keys(search);
  const count =
    names.length > ATTRIBUTES_MAX
      ? [`search has ${names.length} attributes; the maximum is ${ATTRIBUTES_MAX}`]
      : [];
  return [
    ...count,
    ...Object.entries(search).flatMap(([name, { type, of }]) => [
      ...(isName(name) && name.length <= ATTRIBUTE_CHARS_MAX
        ? []
        : [`the search attribute ${name} must have 1 to ${ATTRIBUTE_CHARS_MAX} characters`]),
      ...(TYPES.includes(type)
        ? []
        : [
            `the search attribute ${name} has type ${String(type)}; it must be ${TYPES.join(', ')}`,
          ]),
      ...(typeof of === 'function' ? [] : [`the search attribute ${name} has no function of`]),
    ]),
  ];
}

/**
 * Returns a text that changes when the attributes are declared differently: other names, types or
 * functions.
 */
export function searchVersion(search: SearchAttributes): string {
  const parts = Object.entries(search).map(([name, { type, of }]) => [name, type, String(of)]);
  return sha256Prefix(JSON.stringify(parts.sort(([a = ''], [b = '']) => (a < b ? -1 : 1))));
}

/**
 * Computes the attributes of a context. A function that throws, or returns a value that cannot be
 * searched, yields none.
 *
 * @param context - A copy for each function.
 * @param report - Called with each problem.
 */
export function computeSearchValues(
  search: SearchAttributes,
  context: () => unknown,
  report: (message: string, cause?: unknown) => void,
): SearchValues {
  const values: Record<string, SearchValue> = {};
  for (const [name, { type, of }] of Object.entries(search)) {
    try {
      const value: unknown = of(context() as never);
      if (value === undefined) continue;
      if (isSearchValue(value, type)) values[name] = Object.is(value, -0) ? 0 : value;
      else report(`${name} is ${describe(value)}; ${ALLOWED[type]}`);
    } catch (cause) {
      report(`${name} failed: ${errorMessage(cause)}`, cause);
    }
  }
  return Object.freeze(values);
}

/**
 * Checks the part of a query that asks for attributes.
 *
 * @throws {EngineError} `QUERY_INVALID` naming what is wrong and what is allowed.
 */
export function checkSearchQuery(
  { kind, where = {}, orderBy }: ListQuery,
  search: SearchAttributes | undefined,
): void {
  if (kind === undefined) throw invalidQuery('where and orderBy need the kind of the actors.');
  const names = Object.keys(search ?? {});
  const allowed = names.length === 0 ? 'it has none' : `it has ${names.join(', ')}`;
  for (const name of [...Object.keys(where), ...(orderBy === undefined ? [] : [orderBy])]) {
    if (!names.includes(name))
      throw invalidQuery(`${kind} has no search attribute ${name}; ${allowed}.`);
  }
  for (const [name, condition] of Object.entries(where)) {
    const type = String(search?.[name]?.type);
    const { from, to, ...others } = toRange(condition);
    const ends = [from, to].filter((end) => end !== undefined);
    if (
      ends.length === 0 ||
      Object.keys(others).length > 0 ||
      !ends.every((each) => isSearchValue(each, type))
    ) {
      const received = JSON.stringify(condition)?.slice(0, 100);
      throw invalidQuery(
        `where.${name} is ${received}; it must be a ${type}, or { from, to } with one of both.`,
      );
    }
  }
}

/** Returns whether attributes meet all conditions. */
export function meetsConditions(values: SearchValues, where: SearchWhere = {}): boolean {
  return Object.entries(where).every(([name, condition]) => {
    const value = values[name];
    const { from, to } = toRange(condition);
    if (value === undefined) return false;
    if (from !== undefined && compareValues(value, from) < 0) return false;
    return to === undefined || compareValues(value, to) <= 0;
  });
}

/** Returns whether two actors have different attributes. */
export function hasOtherValues(a: SearchValues | undefined, b: SearchValues | undefined): boolean {
  if (a === b) return false;
  if (a === undefined || b === undefined) return true;
  const names = Object.keys(a);
  return names.length !== Object.keys(b).length || names.some((name) => a[name] !== b[name]);
}

/** Returns a condition as a range. */
export function toRange(condition: SearchWhere[string]): SearchRange {
  return typeof condition === 'object' && condition !== null
    ? condition
    : { from: condition, to: condition };
}

/** Compares two values of one type: texts by code points, as the store on disk sorts them. */
export function compareValues(a: SearchValue, b: SearchValue): number {
  if (typeof a === 'string' && typeof b === 'string') return compareTexts(a, b);
  return Number(a) - Number(b);
}

/** Compares two texts by code points. */
export function compareTexts(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at += 1) {
    const [left, right] = [a.charCodeAt(at), b.charCodeAt(at)];
    if (left !== right) return toCodeOrder(left) - toCodeOrder(right);
  }
  return a.length - b.length;
}

const ALLOWED = {
  string: `it must be a text of at most ${SEARCH_CHARS_MAX} characters without control characters`,
  number: 'it must be a finite number',
  boolean: 'it must be true or false',
} as const;

/** The first unit of a surrogate pair is below U+E000, but its character is above U+FFFF. */
function toCodeOrder(unit: number): number {
  if (unit >= 0xe000) return unit - 0x800;
  return unit >= 0xd800 ? unit + 0x2000 : unit;
}

function isSearchValue(value: unknown, type: string): value is SearchValue {
  if (typeof value !== type) return false;
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'string') return true;
  if (value.length > SEARCH_CHARS_MAX || !isWellFormed(value)) return false;
  return value === '' || isName(value);
}

/** Returns whether a text has no half of a surrogate pair. */
export function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text);
}

function describe(value: unknown): string {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'string'
    ? JSON.stringify(value.slice(0, 40))
    : `a value of type ${typeof value}`;
}

function invalidQuery(message: string): EngineError {
  return new EngineError('QUERY_INVALID', message);
}
