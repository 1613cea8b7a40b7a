import type { Ev, JournalEntry } from '../engine/types.ts';

/**
 * Member that marks the stored form of a value that JSON lacks: a date, a map, a set, or an
 * undefined item of a list. Machines, effects and views get the value; rows contain this form.
 */
export const TYPE_MEMBER = 'stoa$$type';

/** The stored form of a value that JSON lacks. */
export interface TypedValue {
  readonly [TYPE_MEMBER]: 'Date' | 'Map' | 'Set' | 'undefined';
  /** Milliseconds or null for a date, `[key, value]` pairs for a map, items for a set. */
  readonly value?: unknown;
}

/** Stored objects that are, or contain, stored forms. Most programs have none. */
const typed = new WeakSet<object>();
let isAnyTyped = false;

/** Returns whether a stored value is, or contains, a stored form. Constant time. */
export function isTyped(value: unknown): boolean {
  return isAnyTyped && typeof value === 'object' && value !== null && typed.has(value);
}

/** Marks a stored value that is, or contains, a stored form. */
export function markTyped(value: object): void {
  isAnyTyped = true;
  typed.add(value);
}

/** Marks a list or a record if a part of it is, or contains, a stored form; returns it. */
export function markContainer<T extends object>(container: T): T {
  if (isAnyTyped && Object.values(container).some(isTyped)) typed.add(container);
  return container;
}

/** Returns the stored form of an undefined item of a list. */
export function storedUndefined(): TypedValue {
  markTyped(UNDEFINED);
  return UNDEFINED;
}

const UNDEFINED: TypedValue = Object.freeze({ [TYPE_MEMBER]: 'undefined' });

/** Returns the stored form of a value, without its parts; `undefined` if it has none. */
export function toTypedValue(value: object): TypedValue | undefined {
  if (value instanceof Date) {
    const at = value.getTime();
    return { [TYPE_MEMBER]: 'Date', value: Number.isNaN(at) ? null : at };
  }
  if (value instanceof Map) return { [TYPE_MEMBER]: 'Map', value: [...value] };
  return value instanceof Set ? { [TYPE_MEMBER]: 'Set', value: [...value] } : undefined;
}

/** Returns the stored form with these parts. It is frozen and marked. */
export function createTypedValue(form: TypedValue, value: unknown): TypedValue {
  const complete = Object.freeze(value === undefined ? form : { ...form, value });
  markTyped(complete);
  return complete;
}

/**
 * Returns a stored value as machines see it. Values without stored forms are returned as they are.
 * The others are new on each call, so nobody can change what is stored.
 */
export function decode<T>(value: T): T {
  if (!isTyped(value)) return value;
  return decodeObject(value as object, decode) as T;
}

/**
 * Returns a value as JSON shows it: a date as text in UTC, a map as a list of `[key, value]`, a set
 * as a list. Used where values leave the process for readers.
 */
export function toJsonData(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (value instanceof Map || value instanceof Set) return [...value].map(toJsonData);
  if (Array.isArray(value)) return value.map(toJsonData);
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, toJsonData(part)]));
}

/** Returns a journal row with event and emitted events as machines see them. */
export function decodeRow(row: JournalEntry): JournalEntry {
  // Rows in memory are frozen and marked; those read from a store are not.
  const has = Object.isFrozen(row.event) ? isTyped : containsTyped;
  if (!has(row.event) && !row.emits.some(has)) return row;
  const [event, emits] = [decodeAll(row.event), decodeAll(row.emits)];
  return { ...row, event: event as Ev, emits: emits as readonly Ev[] };
}

function containsTyped(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return isTypedValue(value) || Object.values(value).some(containsTyped);
}

function decodeAll(value: unknown): unknown {
  return typeof value === 'object' && value !== null ? decodeObject(value, decodeAll) : value;
}

/** Returns what a stored object stands for, with parts that `convert` gives. */
export function decodeObject(value: object, convert: (part: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map(convert);
  if (!isTypedValue(value)) {
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, convert(part)]));
  }
  const parts = value.value as readonly unknown[];
  switch (value[TYPE_MEMBER]) {
    case 'Date':
      return new Date(value.value === null ? Number.NaN : Number(value.value));
    case 'Map':
      return new Map(parts.map((pair) => convert(pair) as [unknown, unknown]));
    case 'Set':
      return new Set(parts.map(convert));
    case 'undefined':
      return undefined;
  }
}

/** Returns whether an object is a stored form. */
export function isTypedValue(value: object): value is TypedValue {
  return Object.hasOwn(value, TYPE_MEMBER);
}

/** Copies a date, a map or a set with parts that `convert` gives; `undefined` for others. */
export function copyTyped(value: object, convert: (part: unknown) => unknown): object | undefined {
  if (value instanceof Date) return new Date(value.getTime());
  if (value instanceof Set) return new Set([...value].map(convert));
  if (!(value instanceof Map)) return undefined;
  return new Map([...value].map(([key, part]) => [convert(key), convert(part)]));
}
