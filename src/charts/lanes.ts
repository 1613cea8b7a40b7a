/** A range of a column that a lane must keep free. */
export interface LaneRange {
  readonly key: string;
  readonly first: number;
  readonly last: number;
}

/**
 * Assigns lanes so that ranges in the same lane do not overlap. Short ranges get the inner lanes.
 *
 * @returns Lane numbers by key; 0 is the innermost.
 */
export function assignLanes(stretches: readonly LaneRange[]): ReadonlyMap<string, number> {
  const lanes: LaneRange[][] = [];
  const found = new Map<string, number>();
  for (const stretch of [...stretches].sort(compareByLength)) {
    const freeIndex = lanes.findIndex((laneRanges) =>
      laneRanges.every((other) => isDisjoint(stretch, other)),
    );
    const lane = freeIndex === -1 ? lanes.length : freeIndex;
    lanes[lane] = [...(lanes[lane] ?? []), stretch];
    found.set(stretch.key, lane);
  }
  return found;
}

function compareByLength(a: LaneRange, b: LaneRange): number {
  return a.last - a.first - (b.last - b.first) || a.first - b.first || (a.key < b.key ? -1 : 1);
}

function isDisjoint(a: LaneRange, b: LaneRange): boolean {
  return a.last < b.first || b.last < a.first;
}
