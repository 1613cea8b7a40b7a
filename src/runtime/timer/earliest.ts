import type { DueTimer } from '../engine/ports.ts';

/** The earliest of some times, as far as there are any that will come. */
export function earliest(times: readonly (number | undefined)[]): number | undefined {
  let found: number | undefined;
  for (const at of times) {
    const isEarlier = at !== undefined && (found === undefined || at < found);
    if (isEarlier && Number.isFinite(at)) found = at;
  }
  return found;
}

/** Compares timers as they fire: by due time, then as they were set. */
export function compareDue(a: DueTimer, b: DueTimer): number {
  const order = a.row.due - b.row.due || (a.row.order ?? 0) - (b.row.order ?? 0);
  if (order !== 0) return order;
  const [left, right] = [`${a.id}\n${a.row.timerId}`, `${b.id}\n${b.row.timerId}`];
  return left < right ? -1 : Number(left > right);
}
