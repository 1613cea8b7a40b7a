import { isObject } from '../common/json.ts';
import { trimEndChars } from '../common/text.ts';

/** A number up to this value may be a rating out of 10 or of 5 instead of a percentage. */
const PERCENT_MIN = 10;
/** Maximum lengths of a text that is read as a share and as a name, in characters. */
const SHARE_CHARS_MAX = 40;
const NAME_CHARS_MAX = 1_000;
const DASHES = /[\p{Pd}\u2212\u00ad]/gu;

/**
 * Renames members to the requested names if only their letters match, such as `Position` or
 * `evidence_ids`. Applies at every depth.
 */
export function normalizeNames(value: unknown, names: readonly string[]): unknown {
  const namesByLetters = new Map(names.map((name) => [lettersOnly(name), name]));
  return renameMembers(value, namesByLetters, 0);
}

const DEPTH_MAX = 6;

function renameMembers(value: unknown, known: ReadonlyMap<string, string>, depth: number): unknown {
  if (depth > DEPTH_MAX) return value;
  if (Array.isArray(value)) return value.map((item) => renameMembers(item, known, depth + 1));
  if (!isObject(value)) return value;
  const members = Object.entries(value).map(([key, member]) => {
    const name = known.get(lettersOnly(key)) ?? key;
    const isTaken = name !== key && Object.hasOwn(value, name);
    return [isTaken ? key : name, renameMembers(member, known, depth + 1)] as const;
  });
  return Object.fromEntries(members);
}

/**
 * Parses a share from 0 to 1: `0.8`, `"0,8"`, `85`, `"85 %"`, `"4/5"`. Returns other values
 * unchanged.
 */
export function coerceShare(value: unknown): unknown {
  if (typeof value === 'number') return toShare(value);
  if (typeof value !== 'string' || value.length > SHARE_CHARS_MAX) return value;
  const [, number = '', suffix = ''] = SHARE.exec(value.trim()) ?? [];
  const parsed = Number(number.replace(',', '.'));
  if (number === '' || Number.isNaN(parsed)) return value;
  if (suffix === '') return toShare(parsed);
  if (/^(?:%|percent|per cent)$/i.test(suffix)) return parsed <= 100 ? parsed / 100 : value;
  const max = Number(suffix.replace(/^\/|^(?:out )?of/i, ''));
  return max > 0 && parsed <= max ? parsed / max : value;
}

const SHARE = /^~?(\d{0,6}(?:[.,]\d{1,12})?)\s{0,4}(%|per ?cent|\/ ?\d+|(?:out )?of \d+)?\.?$/i;

function toShare(value: number): number {
  return value > PERCENT_MIN && value <= 100 ? value / 100 : value;
}

/** Parses a whole number: `30`, `"30"`, `"30 days"`. Returns other values unchanged. */
export function coerceCount(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  const [, number] = /^(\d{1,6})(?:\.0)?(?: ?days?)?$/i.exec(value.trim()) ?? [];
  return number === undefined ? value : Number(number);
}

/**
 * Converts a value to a list: `null` and "none" become empty, a single item becomes a list of one.
 */
export function coerceList(value: unknown): unknown {
  if (value === null) return [];
  if (typeof value === 'string') return EMPTY_LIST.test(value.trim()) ? [] : [value];
  if (isObject(value)) return Object.keys(value).length === 0 ? [] : [value];
  return Array.isArray(value) ? value.filter((item) => item !== null) : value;
}

const EMPTY_LIST = /^(?:none|n\/a|null|-|\[\])?$/i;

/** Truncates a text that is too long and appends an ellipsis. */
export function truncateText(charsMax: number): (value: unknown) => unknown {
  return (value) => {
    if (typeof value !== 'string' || value.trim().length <= charsMax) return value;
    const truncated = value.trim().slice(0, charsMax - 1);
    // Half of a surrogate pair is not a character.
    return `${truncated.replace(/[\uD800-\uDBFF]$/, '')}\u2026`;
  };
}

/** An item that an answer can refer to by id, or by the name shown next to it in the prompt. */
export interface NamedItem {
  readonly id: string;
  readonly name?: string;
}

/**
 * Finds the item that an answer refers to. Ids are tried first, exact names second, then similar
 * forms: the id in brackets, after a label, next to its own name or as its number, or the name with
 * different dashes, spaces or signs. Returns `undefined` for ambiguous references and for an id
 * next to the name of another item.
 */
export function findReferenced(reference: string, all: readonly NamedItem[]): string | undefined {
  const normalized = normalizeText(reference.slice(0, NAME_CHARS_MAX));
  const byId = all.find(({ id }) => id.toLowerCase() === normalized);
  if (byId !== undefined) return byId.id;
  const exact = all.filter(({ name }) => name !== undefined && normalizeText(name) === normalized);
  if (exact[0] !== undefined) return exact[0].id;
  const bare = trimEndChars(normalized.replace(/^["'`*_([{\s]+/, ''), `"'\`*_)]} .,;:`);
  const similar = all.filter((one) => isSimilar(bare, one, all));
  return similar.length === 1 ? similar[0]?.id : undefined;
}

const LABEL = /^(?:option|choice|answer|evidence|item|id|no\.?|number|verdict|position)?[\s:#.]*/;

function isSimilar(bare: string, { id, name }: NamedItem, all: readonly NamedItem[]): boolean {
  const letters = lettersOnly(bare);
  if (letters === '') return false;
  if (name !== undefined && lettersOnly(name) === letters) return true;
  const ownId = id.toLowerCase();
  const withoutLabel = bare.replace(LABEL, '').replace(/^["'`*([{]+/, '');
  if (/^\d{1,3}$/.test(withoutLabel))
    return ownId.replace(/^[a-z]{1,2}(?=\d)/, '') === withoutLabel;
  if (lettersOnly(id) === lettersOnly(withoutLabel)) return true;
  const rest = removeId(withoutLabel, ownId);
  if (rest === undefined || name === undefined) return false;
  // The exact name of another item means that either the id or the name is wrong.
  if (all.some((one) => one.id !== id && normalizeText(one.name ?? '') === rest)) return false;
  return lettersOnly(rest) === lettersOnly(name) || isPromptLine(rest, normalizeText(name));
}

/** Returns the text before or after an id. */
function removeId(text: string, id: string): string | undefined {
  if (text.startsWith(id) && !/^[\w]/.test(text.slice(id.length))) {
    return text.slice(id.length).replace(/^[\s:\-)\].,("'*`]+/, '');
  }
  if (text.endsWith(id) && !/[\w]$/.test(text.slice(0, -id.length))) {
    return trimEndChars(text.slice(0, -id.length), ` :-(["'*\``);
  }
  return undefined;
}

/** Checks whether a whole line of the prompt was copied: the name and its description. */
function isPromptLine(rest: string, name: string): boolean {
  return rest.startsWith(name) && /^[\s\-:([,;]/.test(rest.slice(name.length));
}

function normalizeText(text: string): string {
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

function lettersOnly(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '');
}
