import type { z } from 'zod';
import { isObject } from '../../domain/common/json.ts';

/** A repair may show the next fault, such as a list as text whose items are numbers as text. */
const ROUNDS_MAX = 3;
/** Arguments of one call that may have several readings. Each reading is parsed on trial. */
const AMBIGUOUS_MAX = 4;
const NUMBER = /^-?(?:0|[1-9]\d{0,15})(?:\.\d{1,15})?$/;

type Parsed<Out> = z.ZodSafeParseResult<Out>;
type Path = readonly PropertyKey[];
/** The values that an argument may have meant. */
type Readings = readonly unknown[];

/**
 * Parses the arguments of a call as clients really send them. `null` for an optional argument means
 * absent; numbers and lists as text are read if exactly one reading fits the schema. Otherwise the
 * errors are those of the arguments as they came.
 */
export function readArguments<Out>(schema: z.ZodType<Out>, received: unknown): Parsed<Out> {
  const first = schema.safeParse(received);
  if (first.success || !isObject(received)) return first;
  const repairs = new Repairs(schema, structuredClone(received));
  let parsed: Parsed<Out> = first;
  for (let round = 0; round < ROUNDS_MAX && !parsed.success; round += 1) {
    if (!parsed.error.issues.every((issue) => repairs.apply(issue))) return first;
    parsed = schema.safeParse(repairs.value);
  }
  return parsed.success ? parsed : first;
}

/** Repairs a copy of the arguments in place, so that its cost grows with their size alone. */
class Repairs {
  readonly value: unknown;
  readonly #schema: z.ZodType;
  #ambiguous = 0;

  constructor(schema: z.ZodType, value: unknown) {
    this.#schema = schema;
    this.value = value;
  }

  /** @returns False if no single reading removes the fault. */
  apply(issue: z.core.$ZodIssue): boolean {
    const { path } = issue;
    const received = valueAt(this.value, path);
    if (received === null) return this.#remove(path);
    if (issue.code === 'invalid_union') return this.#removeNulls(issue);
    if (issue.code !== 'invalid_type') return false;
    const readings = readingsOf(issue.expected, received);
    // A single reading may have faults inside, which the next round repairs.
    if (readings.length <= 1) return readings.length === 1 && this.#replace(path, readings[0]);
    this.#ambiguous += 1;
    if (this.#ambiguous > AMBIGUOUS_MAX) return false;
    const [only, ...others] = readings.filter((each) => this.#fits(path, each));
    return only !== undefined && others.length === 0 && this.#replace(path, only);
  }

  /** Removes the nulls of the only branch of a union that has no other fault. */
  #removeNulls({ path, errors }: z.core.$ZodIssueInvalidUnion): boolean {
    const branches = errors
      .map((issues) => issues.map((each) => [...path, ...each.path]))
      .filter((paths) => paths.every((each) => valueAt(this.value, each) === null));
    const [only, ...others] = branches;
    return only !== undefined && others.length === 0 && only.every((each) => this.#remove(each));
  }

  #fits(path: Path, reading: unknown): boolean {
    this.#replace(path, reading);
    const { error } = this.#schema.safeParse(this.value);
    const isAt = (at: Path) => path.every((key, index) => at[index] === key);
    return error?.issues.some(({ path: at }) => isAt(at)) !== true;
  }

  #replace(path: Path, reading: unknown): true {
    parentOf(this.value, path)[path.at(-1) ?? ''] = reading;
    return true;
  }

  #remove(path: Path): true {
    delete parentOf(this.value, path)[path.at(-1) ?? ''];
    return true;
  }
}

/** Returns what a value may mean where another type is expected. */
function readingsOf(expected: string, received: unknown): Readings {
  if (typeof received !== 'string') return [];
  const text = received.trim();
  switch (expected) {
    case 'number':
    case 'int':
      return NUMBER.test(text) ? [Number(text)] : [];
    case 'array':
      return readList(text);
    default:
      return [];
  }
}

function readList(text: string): Readings {
  const lists = parseJson(text).filter(Array.isArray);
  if (lists.length > 0) return lists;
  const items = text.split(',').map((item) => item.trim());
  return items.length === 1 ? [[text]] : [[text], items];
}

function parseJson(text: string): Readings {
  try {
    return [JSON.parse(text)];
  } catch {
    return [];
  }
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (inner, key) => (inner as Record<PropertyKey, unknown> | undefined)?.[key],
    value,
  );
}

function parentOf(value: unknown, path: Path): Record<PropertyKey, unknown> {
  return valueAt(value, path.slice(0, -1)) as Record<PropertyKey, unknown>;
}
