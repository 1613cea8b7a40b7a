import { EngineError } from './error.ts';

/** Maximum nesting depth of a value that an engine stores. */
const DEPTH_MAX = 64;
/** Maximum objects and lists in one value; shared objects are written out when stored. */
const OBJECTS_MAX = 1_000_000;

/**
 * Returns a value as it will be after storage: a deeply frozen copy of plain JSON data. Values that
 * are already deeply frozen are not copied. As in JSON, members that are `undefined` or not
 * enumerable are left out, and -0 becomes 0.
 *
 * @param what - Names the value in the error message, such as `event`.
 * @param before - An earlier result of this function; identical members are reused unchecked.
 * @throws {EngineError} `EVENT_INVALID` naming the first member that JSON cannot represent.
 */
export function keep<T>(value: T, what: string, before?: unknown): T {
  const kept = taken(value, before, { ancestors: [], objects: 0 });
  if (!(kept instanceof Fault)) return kept as T;
  throw new EngineError('EVENT_INVALID', `${what}${kept.at} ${kept.why}`);
}

/** Deeply freezes a value just read from a store. */
export function freeze<T>(value: T): T {
  if (isObject(value) && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const key in value) freeze(value[key]);
  }
  return value;
}

/** Deeply copies plain data so that the receiver can change it. */
export function copy<T>(value: T): T {
  if (!isObject(value)) return value;
  if (Array.isArray(value)) return value.map(copy) as T;
  const record: Record<string, unknown> = {};
  for (const key of Object.keys(value)) put(record, key, copy(value[key]));
  return record as T;
}

/** A validation error; the path is assembled while the recursion returns. */
class Fault {
  readonly at: string;
  readonly why: string;

  constructor(at: string, why: string) {
    this.at = at;
    this.why = why;
  }
}

interface Walk {
  /** The objects that contain the current one. */
  readonly ancestors: object[];
  objects: number;
}

type Members = Readonly<Record<string, unknown>>;

function taken(value: unknown, before: unknown, walk: Walk): unknown {
  switch (typeof value) {
    case 'string':
    case 'boolean':
    case 'undefined':
      return value;
    case 'number':
      if (!Number.isFinite(value)) return new Fault('', `is ${value}; it must be a finite number`);
      return value === 0 ? 0 : value;
    case 'object':
      return value === null || value === before ? value : takenObject(value, before, walk);
    case 'bigint':
    case 'symbol':
    case 'function':
      return new Fault('', `is a ${typeof value}, which JSON cannot represent`);
  }
}

function takenObject(value: object, before: unknown, walk: Walk): unknown {
  const { ancestors } = walk;
  if (ancestors.includes(value)) return new Fault('', 'contains itself');
  if (ancestors.length > DEPTH_MAX) {
    return new Fault('', `is nested deeper than ${DEPTH_MAX} levels`);
  }
  walk.objects += 1;
  if (walk.objects > OBJECTS_MAX) return new Fault('', `contains more than ${OBJECTS_MAX} objects`);
  ancestors.push(value);
  const kept = Array.isArray(value)
    ? takenList(value, Array.isArray(before) ? before : NO_LIST, walk)
    : takenRecord(value as Members, isObject(before) ? before : NO_MEMBERS, walk);
  ancestors.pop();
  return kept;
}

const NO_LIST: readonly unknown[] = [];
const NO_MEMBERS: Members = {};

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function takenList(list: readonly unknown[], before: readonly unknown[], walk: Walk): unknown {
  // Reading all keys of a long list is slow; if a list grows, the copy drops extra members anyway.
  if (before === NO_LIST && Object.keys(list).length > list.length) {
    return new Fault('', 'has members other than its items');
  }
  const isFrozen = Object.isFrozen(list);
  let items: unknown[] | undefined = isFrozen ? undefined : [...list];
  for (let at = 0; at < list.length; at += 1) {
    const item = list[at];
    if (isObject(item) && item === before[at]) continue;
    // JSON would turn it into null, and the machine would see another value after a restart.
    if (item === undefined) return new Fault(`[${at}]`, 'is undefined');
    const kept = taken(item, before[at], walk);
    if (kept instanceof Fault) return new Fault(`[${at}]${kept.at}`, kept.why);
    if (Object.is(kept, item)) continue;
    items ??= [...list];
    items[at] = kept;
  }
  return items === undefined ? list : Object.freeze(items);
}

function takenRecord(record: Members, before: Members, walk: Walk): unknown {
  const fault = shapeFault(record);
  if (fault !== undefined) return fault;
  const keys = Object.keys(record);
  const isWhole = isFrozenWhole(record, keys);
  // A frozen record is returned as is, or copied from its first changed member on.
  let copied: Record<string, unknown> | undefined = isWhole ? undefined : {};
  for (let at = 0; at < keys.length; at += 1) {
    const key = keys[at] as string;
    // XState treats such an object as an actor reference when it restores a context.
    if (key === 'xstate$$type') return new Fault('', 'contains an actor reference');
    const member = record[key];
    const kept = taken(member, before[key], walk);
    if (kept instanceof Fault) return new Fault(`.${key}${kept.at}`, kept.why);
    if (copied === undefined && kept !== undefined && Object.is(kept, member)) continue;
    copied ??= copyFirst(record, keys, at);
    if (kept !== undefined) put(copied, key, kept);
  }
  return copied === undefined ? record : Object.freeze(copied);
}

/** Returns whether a record is frozen and has only members that JSON keeps. */
function isFrozenWhole(record: Members, keys: readonly string[]): boolean {
  if (!Object.isFrozen(record) || Object.getPrototypeOf(record) === null) return false;
  return Object.getOwnPropertyNames(record).length === keys.length;
}

/** Copies the first members of a record; their values are already frozen. */
function copyFirst(record: Members, keys: readonly string[], count: number) {
  const copied: Record<string, unknown> = {};
  for (const key of keys.slice(0, count)) put(copied, key, record[key]);
  return copied;
}

function shapeFault(record: Members): Fault | undefined {
  const prototype: unknown = Object.getPrototypeOf(record);
  if (prototype !== Object.prototype && prototype !== null) {
    return new Fault('', `is ${kindOf(record)}; it must be a plain object`);
  }
  return Object.getOwnPropertySymbols(record).length === 0
    ? undefined
    : new Fault('', 'has a symbol key');
}

function kindOf(value: object): string {
  const name: unknown = value.constructor?.name;
  return typeof name === 'string' && name !== '' ? `an instance of ${name}` : 'a class instance';
}

/** Sets a member, including `__proto__`. */
function put(record: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== '__proto__') record[key] = value;
  else
    Object.defineProperty(record, key, {
      value,
      enumerable: true,
      writable: true,
      configurable: true,
    });
}
