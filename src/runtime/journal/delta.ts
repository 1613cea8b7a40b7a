import { EngineError } from '../engine/error.ts';

/**
 * The difference between two plain values, as JSON. Texts, numbers, records and other non-lists
 * represent themselves; a list is one of the forms below.
 */
export type Delta = unknown;

// Forms of a delta: the number is the first item of a list.
/** `[0, value]`: a list, verbatim. */
const LITERAL = 0;
/** `[1, {name: delta}, [removed names]?]`: a record with some members changed. */
const PATCH = 1;
/** `[2, ...parts]`: a list made of runs and items of the previous list, and of new items. */
const LIST = 2;
/** `[3, ...path]`: a part of a source, such as the event of the row. */
const SOURCE = 3;
/** `[4, {name: delta}]`: a new record that contains parts of a source. */
const RECORD = 4;
/** `[5, ...deltas]`: a new list that contains parts of a source. */
const ITEMS = 5;
/** `[6, from, count]`, in a `LIST`: items of the previous list. */
const RUN = 6;
/** `[7, at, delta]`, in a `LIST`: a changed item of the previous list. */
const ITEM = 7;

/** Shorter texts are stored verbatim. */
const TEXT_CHARS_MIN = 16;
/** Maximum depth and number of parts searched in a source. */
const SOURCE_DEPTH_MAX = 4;
const SOURCE_PARTS_MAX = 256;
/** How far ahead an item of the previous list is searched. */
const AHEAD_MAX = 16;

type Members = Readonly<Record<string, unknown>>;
type Path = readonly string[];

/** Marks two values as equal. */
export const SAME: unique symbol = Symbol('same');

/**
 * Computes the delta between two storable values. Unchanged values keep their identity, so only
 * changed ones are visited.
 *
 * @param source - A value that the reader of the delta has too; its parts are stored as references.
 * @returns `SAME` if there is no difference.
 */
export function deltaBetween(before: unknown, after: unknown, source: unknown): Delta {
  return new DeltaEncoder(source).encodeBetween(before, after);
}

/** Computes the delta that builds a value from a source alone. */
export function deltaFrom(source: unknown, value: unknown): Delta {
  return new DeltaEncoder(source).encodeWhole(value);
}

/** Returns the value that a delta leads to. Unchanged parts are shared with `before`. */
export function applyDelta(before: unknown, delta: Delta, source: unknown): unknown {
  if (!Array.isArray(delta)) return delta;
  const [form, ...rest] = delta as readonly unknown[];
  switch (form) {
    case LITERAL:
      return rest[0];
    case PATCH:
      return applyPatch(before as Members, rest, source);
    case LIST:
      return rest.flatMap((part) => applyPart(before as readonly unknown[], part, source));
    case SOURCE:
      return rest.reduce((value, name) => (value as Members)[name as string], source);
    case RECORD:
      return applyPatch({}, rest, source);
    case ITEMS:
      return rest.map((item) => applyDelta(undefined, item, source));
    default:
      throw new EngineError('DATA_DAMAGED', `A stored delta has the unknown form ${String(form)}.`);
  }
}

function applyPatch(
  before: Members,
  [set, removed = []]: readonly unknown[],
  source: unknown,
): Members {
  const after: Record<string, unknown> = { ...before };
  for (const name of removed as Path) delete after[name];
  for (const [name, delta] of Object.entries(set as Members)) {
    after[name] = applyDelta(before[name], delta, source);
  }
  return after;
}

function applyPart(before: readonly unknown[], part: unknown, source: unknown): readonly unknown[] {
  if (!Array.isArray(part)) return [part];
  const [form, at, of] = part as readonly unknown[];
  if (form === RUN) return before.slice(Number(at), Number(at) + Number(of));
  if (form === ITEM) return [applyDelta(before[Number(at)], of, source)];
  return [applyDelta(undefined, part, source)];
}

class DeltaEncoder {
  readonly #source: unknown;
  #parts: Map<unknown, Path> | undefined;

  constructor(source: unknown) {
    this.#source = source;
  }

  encodeBetween(before: unknown, after: unknown): Delta {
    if (Object.is(before, after)) return SAME;
    if (Array.isArray(after)) {
      return Array.isArray(before) ? this.#encodeList(before, after) : this.encodeWhole(after);
    }
    return isRecord(before) && isRecord(after)
      ? this.#encodeRecord(before, after)
      : this.encodeWhole(after);
  }

  /** Encodes a value that is unrelated to the previous one. */
  encodeWhole(value: unknown): Delta {
    const reference = this.#encodeReferences(value);
    if (reference !== undefined) return reference;
    return Array.isArray(value) ? [LITERAL, value] : value;
  }

  /** Encodes a value with references into the source; `undefined` if it shares no part with it. */
  #encodeReferences(value: unknown): Delta {
    if (!isObject(value) && !isLongText(value)) return undefined;
    const parts = this.#partsOfSource();
    if (parts.size === 0) return undefined;
    const path = parts.get(value);
    if (path !== undefined) return [SOURCE, ...path];
    if (!isObject(value)) return undefined;
    if (Array.isArray(value)) {
      const items = value.map((item: unknown) => this.#encodeReferences(item));
      if (items.every((item) => item === undefined)) return undefined;
      return [ITEMS, ...items.map((item, at) => item ?? encodeLiteral(value[at]))];
    }
    return this.#encodeRecordReferences(value);
  }

  #encodeRecordReferences(value: Members): Delta {
    const members: Record<string, unknown> = {};
    let hasReference = false;
    for (const name of Object.keys(value)) {
      if (name === '__proto__') return undefined;
      const member = this.#encodeReferences(value[name]);
      if (member !== undefined) hasReference = true;
      members[name] = member ?? encodeLiteral(value[name]);
    }
    return hasReference ? [RECORD, members] : undefined;
  }

  #encodeRecord(before: Members, after: Members): Delta {
    const names = Object.keys(after);
    const oldNames = Object.keys(before);
    const isSameShape = isSameList(names, oldNames);
    const keptNames = isSameShape
      ? oldNames
      : oldNames.filter((name) => Object.hasOwn(after, name));
    // A patch keeps the order of members, which machines can observe.
    const isInOrder = isSameShape || keptNames.every((name, place) => names[place] === name);
    if (!isInOrder || names.includes('__proto__')) return this.encodeWhole(after);
    const set: Record<string, unknown> = {};
    let shared = 0;
    for (const name of keptNames) {
      const delta = this.encodeBetween(before[name], after[name]);
      if (delta === SAME || refersToPrevious(delta)) shared += 1;
      if (delta !== SAME) set[name] = delta;
    }
    if (shared === 0) return this.encodeWhole(after);
    for (const name of names.slice(keptNames.length)) set[name] = this.encodeWhole(after[name]);
    if (keptNames.length === oldNames.length) return [PATCH, set];
    return [PATCH, set, oldNames.filter((name) => !Object.hasOwn(after, name))];
  }

  #encodeList(before: readonly unknown[], after: readonly unknown[]): Delta {
    const parts: unknown[] = [];
    let next = 0;
    let run: [number, number, number] | undefined;
    let shared = 0;
    for (const item of after) {
      const at = findItem(item, before, next);
      next = at >= 0 ? at : next;
      if (at >= 0 && run !== undefined && run[1] + run[2] === at) {
        run[2] += 1;
      } else if (at >= 0) {
        run = [RUN, at, 1];
        parts.push(run);
      } else {
        run = undefined;
        parts.push(this.#encodeItem(before[next], item, next));
      }
      if (run !== undefined || refersToPrevious(parts.at(-1))) shared += 1;
      next += 1;
    }
    if (shared === 0) return this.encodeWhole(after);
    const delta = [LIST, ...parts];
    // A list changed throughout, such as one of flags, is shorter verbatim.
    const isFragmented = parts.length > 4 && parts.length * 2 > after.length;
    return isFragmented && JSON.stringify(delta).length > JSON.stringify(after).length
      ? this.encodeWhole(after)
      : delta;
  }

  #encodeItem(before: unknown, item: unknown, at: number): Delta {
    if (!isRecord(before) || !isRecord(item)) return this.encodeWhole(item);
    const delta = this.#encodeRecord(before, item);
    return refersToPrevious(delta) ? [ITEM, at, delta] : delta;
  }

  #partsOfSource(): ReadonlyMap<unknown, Path> {
    this.#parts ??= indexSource(this.#source);
    return this.#parts;
  }
}

function refersToPrevious(delta: Delta): boolean {
  if (!Array.isArray(delta)) return false;
  const [form] = delta as readonly unknown[];
  return form === PATCH || form === LIST || form === ITEM;
}

function isSameList(one: Path, other: Path): boolean {
  return one.length === other.length && one.every((name, at) => name === other[at]);
}

function encodeLiteral(value: unknown): Delta {
  return Array.isArray(value) ? [LITERAL, value] : value;
}

/** Returns the objects and long texts inside a source, with the path to each. */
function indexSource(source: unknown): Map<unknown, Path> {
  const found = new Map<unknown, Path>();
  const search = (value: unknown, path: Path): void => {
    if (!isObject(value) && !isLongText(value)) return;
    if (found.size >= SOURCE_PARTS_MAX || found.has(value)) return;
    if (path.length > 0) found.set(value, path);
    if (!isObject(value) || path.length >= SOURCE_DEPTH_MAX) return;
    for (const name of Object.keys(value)) search(value[name], [...path, name]);
  };
  search(source, []);
  return found;
}

/** Returns the index of an item in the previous list, close after `next`; -1 if not found. */
function findItem(item: unknown, before: readonly unknown[], next: number): number {
  const end = Math.min(before.length, next + AHEAD_MAX);
  for (let at = next; at < end; at += 1) if (Object.is(before[at], item)) return at;
  return -1;
}

function isLongText(value: unknown): value is string {
  return typeof value === 'string' && value.length >= TEXT_CHARS_MIN;
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null;
}

function isRecord(value: unknown): value is Members {
  return isObject(value) && !Array.isArray(value);
}
