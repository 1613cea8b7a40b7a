import type { DueTimer } from '../engine/ports.ts';

/** Returns the earliest finite time, or `undefined` if there is none. */
export function findEarliest(times: readonly (number | undefined)[]): number | undefined {
  let found: number | undefined;
  for (const at of times) {
    const isEarlier = at !== undefined && (found === undefined || at < found);
    if (isEarlier && Number.isFinite(at)) found = at;
  }
  return found;
}

/** Compares timers in firing order: by due time, then in the order in which they were set. */
export function compareDue(a: DueTimer, b: DueTimer): number {
  const order = a.row.due - b.row.due || (a.row.order ?? 0) - (b.row.order ?? 0);
  if (order !== 0) return order;
  const [left, right] = [`${a.id}\n${a.row.timerId}`, `${b.id}\n${b.row.timerId}`];
  return left < right ? -1 : Number(left > right);
}
