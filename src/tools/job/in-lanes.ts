/** How much may run at once. */
export interface LaneLimits<T> {
  readonly total: number;
  /** At most this many of one `key` at once. */
  readonly perKey: number;
  key(item: T): string;
}

/** Runs work over all items within the limits; resolves when all have run. */
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

// Each key's items are dealt onto `perKey` lanes and a lane runs in order: no key can exceed it.
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
