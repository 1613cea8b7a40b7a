import { isObject } from '../common/json.ts';
import { trimEndOf } from '../common/text.ts';

/** A number up to this value may be a rating out of 10 or of 5 instead of a percentage. */
const PERCENT_MIN = 10;
/** Maximum lengths of a text that is read as a share and as a name, in characters. */
const SHARE_CHARS_MAX = 40;
const NAMED_CHARS_MAX = 1_000;
const DASHES = /[\p{Pd}\u2212\u00ad]/gu;

/**
 * Renames members to the requested names if only their letters match, such as `Position` or
 * `evidence_ids`. Applies at every depth.
 */
export function withNames(value: unknown, names: readonly string[]): unknown {
  const known = new Map(names.map((name) => [bareLetters(name), name]));
  return renamed(value, known, 0);
}

const DEPTH_MAX = 6;

function renamed(value: unknown, known: ReadonlyMap<string, string>, depth: number): unknown {
  if (depth > DEPTH_MAX) return value;
  if (Array.isArray(value)) return value.map((item) => renamed(item, known, depth + 1));
  if (!isObject(value)) return value;
  const members = Object.entries(value).map(([key, member]) => {
    const name = known.get(bareLetters(key)) ?? key;
    const isTaken = name !== key && Object.hasOwn(value, name);
    return [isTaken ? key : name, renamed(member, known, depth + 1)] as const;
  });
  return Object.fromEntries(members);
}

/**
 * Parses a share from 0 to 1: `0.8`, `"0,8"`, `85`, `"85 %"`, `"4/5"`. Returns other values
 * unchanged.
 */
export function readShare(value: unknown): unknown {
  if (typeof value === 'number') return asShare(value);
  if (typeof value !== 'string' || value.length > SHARE_CHARS_MAX) return value;
  const [, number = '', tail = ''] = SHARE.exec(value.trim()) ?? [];
  const read = Number(number.replace(',', '.'));
  if (number === '' || Number.isNaN(read)) return value;
  if (tail === '') return asShare(read);
  if (/^(?:%|percent|per cent)$/i.test(tail)) return read <= 100 ? read / 100 : value;
  const most = Number(tail.replace(/^\/|^(?:out )?of/i, ''));
  return most > 0 && read <= most ? read / most : value;
}

const SHARE = /^~?(\d{0,6}(?:[.,]\d{1,12})?)\s{0,4}(%|per ?cent|\/ ?\d+|(?:out )?of \d+)?\.?$/i;

function asShare(value: number): number {
  return value > PERCENT_MIN && value <= 100 ? value / 100 : value;
}

/** Parses a whole number: `30`, `"30"`, `"30 days"`. Returns other values unchanged. */
export function readCount(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  const [, number] = /^(\d{1,6})(?:\.0)?(?: ?days?)?$/i.exec(value.trim()) ?? [];
  return number === undefined ? value : Number(number);
}

/**
 * Converts a value to a list: `null` and "none" become empty, a single item becomes a list of one.
 */
export function readList(value: unknown): unknown {
  if (value === null) return [];
  if (typeof value === 'string') return EMPTY.test(value.trim()) ? [] : [value];
  if (isObject(value)) return Object.keys(value).length === 0 ? [] : [value];
  return Array.isArray(value) ? value.filter((item) => item !== null) : value;
}

const EMPTY = /^(?:none|n\/a|null|-|\[\])?$/i;

/** Truncates a text that is too long and appends an ellipsis. */
export function cutText(charsMax: number): (value: unknown) => unknown {
  return (value) => {
    if (typeof value !== 'string' || value.trim().length <= charsMax) return value;
    const kept = value.trim().slice(0, charsMax - 1);
    // Half of a surrogate pair is not a character.
    return `${kept.replace(/[\uD800-\uDBFF]$/, '')}\u2026`;
  };
}

/** An item that an answer can refer to by id, or by the name shown next to it in the prompt. */
export interface Nameable {
  readonly id: string;
  readonly name?: string;
}

/**
 * Finds the item that an answer refers to. Ids are tried first, exact names second, then similar
 * forms: the id in brackets, after a label, next to its own name or as its number, or the name with
 * different dashes, spaces or signs. Returns `undefined` for ambiguous references and for an id
 * next to the name of another item.
 */
export function findNamed(named: string, all: readonly Nameable[]): string | undefined {
  const wanted = folded(named.slice(0, NAMED_CHARS_MAX));
  const byId = all.find(({ id }) => id.toLowerCase() === wanted);
  if (byId !== undefined) return byId.id;
  const exact = all.filter(({ name }) => name !== undefined && folded(name) === wanted);
  if (exact[0] !== undefined) return exact[0].id;
  const bare = trimEndOf(wanted.replace(/^["'`*_([{\s]+/, ''), `"'\`*_)]} .,;:`);
  const near = all.filter((one) => isNear(bare, one, all));
  return near.length === 1 ? near[0]?.id : undefined;
}

const LABEL = /^(?:option|choice|answer|evidence|item|id|no\.?|number|verdict|position)?[\s:#.]*/;

function isNear(bare: string, { id, name }: Nameable, all: readonly Nameable[]): boolean {
  const letters = bareLetters(bare);
  if (letters === '') return false;
  if (name !== undefined && bareLetters(name) === letters) return true;
  const ownId = id.toLowerCase();
  const unlabelled = bare.replace(LABEL, '').replace(/^["'`*([{]+/, '');
  if (/^\d{1,3}$/.test(unlabelled)) return ownId.replace(/^[a-z]{1,2}(?=\d)/, '') === unlabelled;
  if (bareLetters(id) === bareLetters(unlabelled)) return true;
  const rest = withoutId(unlabelled, ownId);
  if (rest === undefined || name === undefined) return false;
  // The exact name of another item means that either the id or the name is wrong.
  if (all.some((one) => one.id !== id && folded(one.name ?? '') === rest)) return false;
  return bareLetters(rest) === bareLetters(name) || isLineOf(rest, folded(name));
}

/** Returns the text before or after an id. */
function withoutId(text: string, id: string): string | undefined {
  if (text.startsWith(id) && !/^[\w]/.test(text.slice(id.length))) {
    return text.slice(id.length).replace(/^[\s:\-)\].,("'*`]+/, '');
  }
  if (text.endsWith(id) && !/[\w]$/.test(text.slice(0, -id.length))) {
    return trimEndOf(text.slice(0, -id.length), ` :-(["'*\``);
  }
  return undefined;
}

/** Checks whether a whole line of the prompt was copied: the name and its description. */
function isLineOf(rest: string, name: string): boolean {
  return rest.startsWith(name) && /^[\s\-:([,;]/.test(rest.slice(name.length));
}

function folded(text: string): string {
  return text
    .normalize('NFKC')
    .replace(DASHES, '-')
    .replace(/[\u200b-\u200f\u2060\ufeff]/g, '')
    .replace(/[\u2018\u2019]/g, "'")
    .replace(/[\u201c\u201d]/g, '"')
    .replace(/\s+/g, ' ')
    .trim()
    .toLowerCase();
}

function bareLetters(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '');
}
