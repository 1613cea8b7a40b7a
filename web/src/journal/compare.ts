import type { Json } from '../../../src/domain/common/json.ts';
import { isHidden } from './hidden.ts';

/** Most differences in a result; the comparison stops there. */
export const DIFFERENCES_MAX = 500;

/** One difference between two values. */
export interface Difference {
  /** Path in JavaScript notation, such as `seats[2].name`; empty for the whole value. */
  readonly path: string;
  readonly kind: 'added' | 'removed' | 'changed';
  /** Absent when added. */
  readonly before?: Json;
  /** Absent when removed. */
  readonly after?: Json;
}

/** Returns the differences between two values in member order; compares lists by position. */
export function compare(before: Json, after: Json): readonly Difference[] {
  const found: Difference[] = [];
  collectDifferences({ before, after, path: '', found });
  return found;
}

interface Pair {
  readonly before: Json | undefined;
  readonly after: Json | undefined;
  readonly path: string;
  readonly found: Difference[];
}

function collectDifferences({ before, after, path, found }: Pair): void {
  if (found.length >= DIFFERENCES_MAX || before === after) return;
  if (before === undefined) {
    if (after !== undefined) found.push({ path, kind: 'added', after });
    return;
  }
  if (after === undefined) {
    found.push({ path, kind: 'removed', before });
    return;
  }
  const keys = membersOf(before, after);
  if (keys === undefined) {
    if (!sameLeaf(before, after)) found.push({ path, kind: 'changed', before, after });
    return;
  }
  for (const key of keys) {
    collectDifferences({
      before: readMember(before, key),
      after: readMember(after, key),
      path: joinPath(path, key),
      found,
    });
  }
}

// Returns `undefined` if the two cannot be compared member by member.
function membersOf(before: Json, after: Json): readonly (string | number)[] | undefined {
  if (Array.isArray(before) && Array.isArray(after)) {
    return [...Array(Math.max(before.length, after.length)).keys()];
  }
  if (!isRecord(before) || !isRecord(after)) return undefined;
  return [...new Set([before, after].flatMap((one) => Object.keys(one as object)))];
}

function isRecord(value: Json): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isHidden(value);
}

function sameLeaf(before: Json, after: Json): boolean {
  return JSON.stringify(before) === JSON.stringify(after);
}

function readMember(value: Json, key: string | number): Json | undefined {
  const members = value as Readonly<Record<string | number, Json | undefined>>;
  return Object.hasOwn(members, key) ? members[key] : undefined;
}

function joinPath(path: string, key: string | number): string {
  if (typeof key === 'number') return `${path}[${key}]`;
  if (!/^[A-Za-z_$][\w$]*$/.test(key)) return `${path}[${JSON.stringify(key)}]`;
  return path === '' ? key : `${path}.${key}`;
}
