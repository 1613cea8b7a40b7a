import pLimit, { type LimitFunction } from 'p-limit';

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
  const total = pLimit(limits.total);
  const perKey = new Map<string, LimitFunction>();
  const runItem = (item: T): Promise<void> => {
    const key = limits.key(item);
    const limit = perKey.get(key) ?? pLimit(limits.perKey);
    perKey.set(key, limit);
    return limit(() => total(() => run(item)));
  };
  await Promise.all(items.map(runItem));
}
