import pLimit, { type LimitFunction } from 'p-limit';

/**
 * Creates a function that serializes work per id. Abandoned work still blocks the work after it.
 */
export function createKeyedMutex() {
  const limits = new Map<string, LimitFunction>();
  return async <T>(id: string, work: () => Promise<T>): Promise<T> => {
    const limit = limits.get(id) ?? pLimit(1);
    limits.set(id, limit);
    try {
      return await limit(work);
    } finally {
      if (limit.activeCount + limit.pendingCount === 0) limits.delete(id);
    }
  };
}
