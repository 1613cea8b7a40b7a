import { EngineError } from './error.ts';

/** Deepest nesting of a value that an engine keeps. */
const DEPTH_MAX = 64;

/**
 * Asserts that a value is plain JSON, so that it is the same after it was at rest: no class
 * instances, functions, bigints or numbers that JSON cannot write. Members may be `undefined`.
 *
 * @param what - Names the value in the message, such as `event`.
 * @param before - A value that was found plain already: what it holds at the same place is not
 * looked at again, because objects of an engine are never changed.
 * @throws {EngineError} `EVENT_INVALID`
 */
export function assertPlain(value: unknown, what: string, before?: unknown): void {
  const fault = faultOf(value, before, 0);
  if (fault === undefined) return;
  throw new EngineError('EVENT_INVALID', `${what}${fault.at} ${fault.why}`);
}

/** What is wrong, and where: the path is put together only on the way out. */
interface Fault {
  readonly at: string;
  readonly why: string;
}

function faultOf(value: unknown, before: unknown, depth: number): Fault | undefined {
  switch (typeof value) {
    case 'string':
    case 'boolean':
    case 'undefined':
      return undefined;
    case 'number':
      return Number.isFinite(value) ? undefined : { at: '', why: 'is not a finite number' };
    case 'object':
      return value === null || value === before ? undefined : objectFault(value, before, depth);
    case 'bigint':
    case 'symbol':
    case 'function':
      return { at: '', why: `is a ${typeof value}, which JSON does not have` };
  }
}

type Members = Readonly<Record<string, unknown>>;

function objectFault(value: object, before: unknown, depth: number): Fault | undefined {
  if (depth > DEPTH_MAX) return { at: '', why: `is nested deeper than ${DEPTH_MAX} levels` };
  return Array.isArray(value)
    ? listFault(value, Array.isArray(before) ? before : NO_LIST, depth)
    : recordFault(value as Members, isObject(before) ? before : NO_MEMBERS, depth);
}

const NO_LIST: readonly unknown[] = [];
const NO_MEMBERS: Members = {};

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null;
}

function listFault(
  list: readonly unknown[],
  before: readonly unknown[],
  depth: number,
): Fault | undefined {
  for (let at = 0; at < list.length; at += 1) {
    const item = list[at];
    // JSON would turn it into null, and the machine would see another value after a restart.
    if (item === undefined) return { at: `[${at}]`, why: 'is undefined' };
    const fault = faultOf(item, before[at], depth + 1);
    if (fault !== undefined) return { at: `[${at}]${fault.at}`, why: fault.why };
  }
  return undefined;
}

function recordFault(record: Members, before: Members, depth: number): Fault | undefined {
  const prototype: unknown = Object.getPrototypeOf(record);
  if (prototype !== Object.prototype && prototype !== null) {
    return { at: '', why: 'is not a plain object' };
  }
  for (const key in record) {
    // XState takes such an object for an actor reference when it restores a context.
    if (key === 'xstate$$type') return { at: '', why: 'holds an actor reference' };
    const fault = faultOf(record[key], before[key], depth + 1);
    if (fault !== undefined) return { at: `.${key}${fault.at}`, why: fault.why };
  }
  return undefined;
}
