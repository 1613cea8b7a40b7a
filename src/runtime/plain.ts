import { EngineError } from './error.ts';

/** Deepest nesting of a value that an engine keeps. */
const DEPTH_MAX = 64;

/** Objects that were found plain; they are never changed afterwards, so once is enough. */
const known = new WeakSet<object>();

/**
 * Asserts that a value is plain JSON, so that it is the same after it was at rest: no class
 * instances, functions, bigints or numbers that JSON cannot write. Members may be `undefined`.
 *
 * @param what - Names the value in the message, such as `event`.
 * @throws {EngineError} `EVENT_INVALID`
 */
export function assertPlain(value: unknown, what: string): void {
  const fault = faultOf(value, what, 0);
  if (fault !== undefined) throw new EngineError('EVENT_INVALID', fault);
}

function faultOf(value: unknown, path: string, depth: number): string | undefined {
  switch (typeof value) {
    case 'string':
    case 'boolean':
    case 'undefined':
      return undefined;
    case 'number':
      return Number.isFinite(value) ? undefined : `${path} is not a finite number`;
    case 'object':
      return value === null || known.has(value) ? undefined : objectFault(value, path, depth);
    case 'bigint':
    case 'symbol':
    case 'function':
      return `${path} is a ${typeof value}, which JSON does not have`;
  }
}

function objectFault(value: object, path: string, depth: number): string | undefined {
  if (depth > DEPTH_MAX) return `${path} is nested deeper than ${DEPTH_MAX} levels`;
  const fault = Array.isArray(value)
    ? listFault(value, path, depth)
    : recordFault(value as Record<string, unknown>, path, depth);
  if (fault === undefined) known.add(value);
  return fault;
}

function listFault(list: readonly unknown[], path: string, depth: number): string | undefined {
  for (const [at, item] of list.entries()) {
    // JSON would turn it into null, and the machine would see another value after a restart.
    if (item === undefined) return `${path}[${at}] is undefined`;
    const fault = faultOf(item, `${path}[${at}]`, depth + 1);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function recordFault(
  record: Record<string, unknown>,
  path: string,
  depth: number,
): string | undefined {
  const prototype: unknown = Object.getPrototypeOf(record);
  if (prototype !== Object.prototype && prototype !== null) return `${path} is not a plain object`;
  for (const key in record) {
    // XState takes such an object for an actor reference when it restores a context.
    if (key === 'xstate$$type') return `${path} holds an actor reference`;
    const fault = faultOf(record[key], `${path}.${key}`, depth + 1);
    if (fault !== undefined) return fault;
  }
  return undefined;
}
