/** Deeper values are left to JSON itself. */
const DEPTH_MAX = 64;
/** Says that a value is not as simple as most are. */
const OTHER = Symbol('other');

/**
 * Copies a value as it will be after it was at rest: what `JSON.parse(JSON.stringify(value))`
 * gives, in a third of the time where the value is plain.
 *
 * @throws {TypeError} where JSON does: for bigints and for what holds itself.
 */
export function copyAtRest(value: unknown): unknown {
  if (value === undefined) return undefined;
  const copy = copied(value, 0);
  return copy === OTHER ? JSON.parse(JSON.stringify(value)) : copy;
}

function copied(value: unknown, depth: number): unknown {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      // JSON knows no minus zero.
      return Number.isFinite(value) ? value + 0 : OTHER;
    case 'object':
      if (value === null) return null;
      return depth > DEPTH_MAX ? OTHER : copiedObject(value, depth + 1);
    case 'undefined':
    case 'bigint':
    case 'symbol':
    case 'function':
      return OTHER;
  }
}

function copiedObject(value: object, depth: number): unknown {
  if (Array.isArray(value)) return copiedList(value, depth);
  const isPlain = Object.getPrototypeOf(value) === Object.prototype;
  return isPlain ? copiedRecord(value as Readonly<Record<string, unknown>>, depth) : OTHER;
}

function copiedList(list: readonly unknown[], depth: number): unknown {
  const copy: unknown[] = [];
  for (let at = 0; at < list.length; at += 1) {
    const item = copied(list[at], depth);
    if (item === OTHER) return OTHER;
    copy.push(item);
  }
  return copy;
}

function copiedRecord(record: Readonly<Record<string, unknown>>, depth: number): unknown {
  const copy: Record<string, unknown> = {};
  for (const key in record) {
    const member = record[key];
    if (member === undefined) continue;
    const isSpecial = key === '__proto__' || key === 'toJSON';
    const item = isSpecial ? OTHER : copied(member, depth);
    if (item === OTHER) return OTHER;
    copy[key] = item;
  }
  return copy;
}
