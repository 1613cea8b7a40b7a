/** Concurrency limits. */
export interface LaneLimits<T> {
  readonly total: number;
  /** Maximum concurrent items with the same `key`. */
  readonly perKey: number;
  key(item: T): string;
}

/** Runs `run` for all items within the limits; resolves when all have finished. */
export async function runInLanes<T>(
  items: readonly T[],
  limits: LaneLimits<T>,
  run: (item: T) => Promise<void>,
): Promise<void> {
  const lanes = toLanes(items, limits);
  const worker = async () => {
    for (let lane = lanes.shift(); lane !== undefined; lane = lanes.shift()) {
      for (const item of lane) await run(item);
    }
  };
  await Promise.all(Array.from({ length: limits.total }, worker));
}

// The items of a key are spread over `perKey` sequential lanes, so no key can exceed its limit.
function toLanes<T>(items: readonly T[], limits: LaneLimits<T>): T[][] {
  const byKey = new Map<string, T[][]>();
  const dealt = new Map<string, number>();
  for (const item of items) {
    const key = limits.key(item);
    const turn = dealt.get(key) ?? 0;
    const lanes = byKey.get(key) ?? Array.from({ length: limits.perKey }, (): T[] => []);
    lanes[turn % limits.perKey]?.push(item);
    byKey.set(key, lanes);
    dealt.set(key, turn + 1);
  }
  return [...byKey.values()].flat().filter((lane) => lane.length > 0);
}
