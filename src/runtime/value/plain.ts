import { EngineError } from '../engine/error.ts';
import {
  copyTyped,
  createTypedValue,
  decodeObject,
  isTyped,
  isTypedValue,
  markContainer,
  markTyped,
  storedUndefined,
  TYPE_MEMBER,
  toTypedValue,
} from './typed-value.ts';

/** Maximum nesting depth of a value that an engine stores. */
const DEPTH_MAX = 64;
/** Maximum objects and lists in one value; shared objects are written out when stored. */
const OBJECTS_MAX = 1_000_000;

/**
 * Returns a value as it will be after storage: a deeply frozen copy of plain JSON data. Values that
 * are already deeply frozen are not copied. As in JSON, members that are `undefined` or not
 * enumerable are left out, and -0 becomes 0. Dates, maps, sets and undefined items of lists become
 * their stored forms, see `decode`.
 *
 * @param label - Names the value in the error message, such as `event`.
 * @param before - An earlier result of this function; identical members are reused unchecked.
 * @param toReference - Returns the reference that stands for an actor. Without it, actors and
 * references are refused.
 * @throws {EngineError} `EVENT_INVALID` naming the first member that JSON cannot represent.
 */
export function toStorable<T>(
  value: T,
  label: string,
  before?: unknown,
  toReference?: (actor: object) => object | undefined,
): T {
  const converted = convert(value, before, { ancestors: [], objects: 0, toReference });
  if (!(converted instanceof InvalidValue)) return converted as T;
  throw new EngineError('EVENT_INVALID', `${label}${converted.at} ${converted.why}`);
}

/**
 * Does the same and bounds the size.
 *
 * @param charsMax - Maximum characters of all texts and member names in the value.
 * @throws {EngineError} `EVENT_INVALID`
 */
export function toBounded<T>(value: T, label: string, charsMax: number): T {
  const stored = toStorable(value, label);
  if (countChars(stored, charsMax) <= charsMax) return stored;
  const message = `${label} has more than ${charsMax} characters`;
  throw new EngineError('EVENT_INVALID', message, { data: { charsMax } });
}

/** Counts characters of texts and names; stops once there are more than `max`. */
function countChars(value: unknown, max: number): number {
  if (typeof value === 'string') return value.length;
  if (!isObject(value)) return 0;
  let chars = 0;
  for (const key in value) {
    chars += (Array.isArray(value) ? 0 : key.length) + countChars(value[key], max - chars);
    if (chars > max) break;
  }
  return chars;
}

/** Deeply freezes a value just read from a store. */
export function deepFreeze<T>(value: T): T {
  if (isObject(value) && !Object.isFrozen(value)) {
    Object.freeze(value);
    let hasTyped = false;
    for (const key in value) {
      if (isTyped(deepFreeze(value[key])) || key === TYPE_MEMBER) hasTyped = true;
    }
    if (hasTyped) markTyped(value);
  }
  return value;
}

/**
 * Deeply copies stored data so that the receiver can change it. Stored forms become the values that
 * they stand for.
 */
export function copyPlain<T>(value: T): T {
  if (!isObject(value)) return value;
  if (Array.isArray(value)) return value.map(copyPlain) as T;
  if (isTypedValue(value)) return decodeObject(value, copyPlain) as T;
  const typedCopy = copyTyped(value, copyPlain);
  if (typedCopy !== undefined) return typedCopy as T;
  const record: Record<string, unknown> = {};
  for (const key of Object.keys(value)) setMember(record, key, copyPlain(value[key]));
  return record as T;
}

/** A validation error; the path is assembled while the recursion returns. */
class InvalidValue {
  readonly at: string;
  readonly why: string;

  constructor(at: string, why: string) {
    this.at = at;
    this.why = why;
  }
}

interface ConversionContext {
  /** The objects that contain the current one. */
  readonly ancestors: object[];
  objects: number;
  readonly toReference: ((actor: object) => object | undefined) | undefined;
}

type Members = Readonly<Record<string, unknown>>;

function convert(value: unknown, before: unknown, context: ConversionContext): unknown {
  switch (typeof value) {
    case 'string':
    case 'boolean':
    case 'undefined':
      return value;
    case 'number':
      if (!Number.isFinite(value))
        return new InvalidValue('', `is ${value}; it must be a finite number`);
      return value === 0 ? 0 : value;
    case 'object':
      return value === null || value === before ? value : convertObject(value, before, context);
    case 'bigint':
    case 'symbol':
    case 'function':
      return new InvalidValue('', `is a ${typeof value}, which JSON cannot represent`);
  }
}

function convertObject(value: object, before: unknown, walk: ConversionContext): unknown {
  const { ancestors } = walk;
  if (ancestors.includes(value)) return new InvalidValue('', 'contains itself');
  if (ancestors.length > DEPTH_MAX) {
    return new InvalidValue('', `is nested deeper than ${DEPTH_MAX} levels`);
  }
  walk.objects += 1;
  if (walk.objects > OBJECTS_MAX)
    return new InvalidValue('', `contains more than ${OBJECTS_MAX} objects`);
  const isList = Array.isArray(value);
  const shapeError = isList ? undefined : checkShape(value as Members);
  if (shapeError !== undefined) {
    return walk.toReference?.(value) ?? convertTyped(value, before, walk) ?? shapeError;
  }
  ancestors.push(value);
  const kept = isList
    ? convertList(value, Array.isArray(before) ? before : NO_LIST, walk)
    : convertRecord(value as Members, isObject(before) ? before : NO_MEMBERS, walk);
  ancestors.pop();
  return kept;
}

/** Returns the stored form of a value that JSON lacks; `undefined` for any other. */
function convertTyped(value: object, before: unknown, walk: ConversionContext): unknown {
  const form = toTypedValue(value);
  if (form === undefined) return undefined;
  const isSameType = isObject(before) && before[TYPE_MEMBER] === form[TYPE_MEMBER];
  const previous = isSameType ? before['value'] : undefined;
  walk.ancestors.push(value);
  const parts = convert(form.value, previous, walk);
  walk.ancestors.pop();
  if (parts instanceof InvalidValue) return parts;
  return isSameType && parts === previous ? before : createTypedValue(form, parts);
}

const NO_LIST: readonly unknown[] = Object.freeze([]);
const NO_MEMBERS: Members = {};

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function convertList(
  list: readonly unknown[],
  before: readonly unknown[],
  walk: ConversionContext,
): unknown {
  // Reading all keys of a long list is slow; if a list grows, the copy drops extra members anyway.
  if (before === NO_LIST && Object.keys(list).length > list.length) {
    return new InvalidValue('', 'has members other than its items');
  }
  const isFrozen = Object.isFrozen(list);
  let items: unknown[] | undefined = isFrozen ? undefined : [...list];
  for (let at = 0; at < list.length; at += 1) {
    const item = list[at];
    // JSON would turn it into null, and the machine would see another value after a restart.
    const kept = item === undefined ? storedUndefined() : convert(item, before[at], walk);
    if (kept instanceof InvalidValue) return new InvalidValue(`[${at}]${kept.at}`, kept.why);
    if (Object.is(kept, item)) continue;
    items ??= [...list];
    items[at] = kept;
  }
  if (items === undefined) return markContainer(list);
  return isSameList(items, before) ? before : markContainer(Object.freeze(items));
}

/** A list that was built anew may have nothing new in it. */
function isSameList(list: readonly unknown[], before: readonly unknown[]): boolean {
  return list.length === before.length && list.every((item, at) => Object.is(item, before[at]));
}

function convertRecord(record: Members, before: Members, walk: ConversionContext): unknown {
  const keys = Object.keys(record);
  const isReusable = isFrozenPlain(record, keys);
  // Each member is read once: a getter could return another value the second time.
  const source: Record<string, unknown> = isReusable ? record : copyMembers(record);
  let copied: Record<string, unknown> | undefined = isReusable ? undefined : source;
  for (const key of keys) {
    if (isMark(key)) return convertMarked(record, key, walk);
    const member = source[key];
    const kept = convert(member, before[key], walk);
    if (kept instanceof InvalidValue) return new InvalidValue(`.${key}${kept.at}`, kept.why);
    if (kept !== undefined && Object.is(kept, member)) continue;
    copied ??= copyMembers(record);
    if (kept === undefined) delete copied[key];
    else setMember(copied, key, kept);
  }
  const stored = markContainer(copied === undefined ? record : Object.freeze(copied));
  return isSameRecord(stored, before) ? before : stored;
}

/** A record of decoded values is new on each event, although nothing in it may have changed. */
function isSameRecord(record: Members, before: Members): boolean {
  if (!isTyped(record)) return false;
  const keys = Object.keys(record);
  if (keys.length !== Object.keys(before).length) return false;
  return keys.every((key) => Object.is(record[key], before[key]) && Object.hasOwn(before, key));
}

/** Marks a record that stands for an actor, as in XState. */
const REFERENCE_MEMBER = 'xstate$$type';

function isMark(key: string): boolean {
  return key === REFERENCE_MEMBER || key === TYPE_MEMBER;
}

/** Only machines can make references to actors, and only the engine makes stored forms. */
function convertMarked(record: Members, key: string, walk: ConversionContext): unknown {
  if (key === TYPE_MEMBER) {
    return isTyped(record) ? record : new InvalidValue(`.${key}`, 'is reserved for stored values');
  }
  const reference = walk.toReference?.(record);
  if (reference === undefined) return new InvalidValue('', 'contains an actor reference');
  return Object.freeze({ ...reference });
}

/** Copies a record. Freezing a copy made by spreading takes three times as long. */
function copyMembers(record: Members): Record<string, unknown> {
  return Object.hasOwn(record, '__proto__') ? { ...record } : Object.assign({}, record);
}

/** Returns whether a record is frozen and has only members that JSON keeps. */
function isFrozenPlain(record: Members, keys: readonly string[]): boolean {
  if (!Object.isFrozen(record) || Object.getPrototypeOf(record) === null) return false;
  const members = Object.getOwnPropertyDescriptors(record);
  return (
    Object.getOwnPropertyNames(record).length === keys.length &&
    keys.every((key) => members[key]?.get === undefined)
  );
}

function checkShape(record: Members): InvalidValue | undefined {
  const prototype: unknown = Object.getPrototypeOf(record);
  if (prototype !== Object.prototype && prototype !== null) {
    return new InvalidValue('', `is ${describeClass(record)}; it must be a plain object`);
  }
  return Object.getOwnPropertySymbols(record).length === 0
    ? undefined
    : new InvalidValue('', 'has a symbol key');
}

function describeClass(value: object): string {
  const name: unknown = value.constructor?.name;
  return typeof name === 'string' && name !== '' ? `an instance of ${name}` : 'a class instance';
}

/** Sets a member, including `__proto__`. */
function setMember(record: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== '__proto__') record[key] = value;
  else
    Object.defineProperty(record, key, {
      value,
      enumerable: true,
      writable: true,
      configurable: true,
    });
}
