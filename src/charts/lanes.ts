/** A range of a column that a lane must keep free. */
export interface Stretch {
  readonly key: string;
  readonly first: number;
  readonly last: number;
}

/**
 * Assigns lanes so that ranges in the same lane do not overlap. Short ranges get the inner lanes.
 *
 * @returns Lane numbers by key; 0 is the innermost.
 */
export function assignLanes(stretches: readonly Stretch[]): ReadonlyMap<string, number> {
  const lanes: Stretch[][] = [];
  const found = new Map<string, number>();
  for (const stretch of [...stretches].sort(byLength)) {
    const free = lanes.findIndex((taken) => taken.every((other) => isApart(stretch, other)));
    const lane = free === -1 ? lanes.length : free;
    lanes[lane] = [...(lanes[lane] ?? []), stretch];
    found.set(stretch.key, lane);
  }
  return found;
}

function byLength(a: Stretch, b: Stretch): number {
  return a.last - a.first - (b.last - b.first) || a.first - b.first || (a.key < b.key ? -1 : 1);
}

function isApart(a: Stretch, b: Stretch): boolean {
  return a.last < b.first || b.last < a.first;
}
