/**
 * Creates a function that serializes work per id. Abandoned work still blocks the work after it.
 */
export function createKeyedMutex() {
  const last = new Map<string, Promise<unknown>>();
  return <T>(id: string, work: () => Promise<T>): Promise<T> => {
    const turn = (last.get(id) ?? Promise.resolve()).then(work, work);
    const settled = turn
      .catch(() => undefined)
      .finally(() => {
        if (last.get(id) === settled) last.delete(id);
      });
    last.set(id, settled);
    return turn;
  };
}
