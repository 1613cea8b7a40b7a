import { useCallback, useEffect, useState } from 'preact/hooks';
import { type ReadFault, readAddress } from './read.ts';

/** How often a page that is looked at reads again, in milliseconds. */
const AGAIN_MS = 5_000;

/** What an address tells now. After a fault the value before stays. */
export interface Read<Value> {
  readonly value: Value | null;
  readonly fault: ReadFault | null;
  reload(): void;
}

/**
 * Reads an address, and again while the page is seen.
 *
 * @param againMs - Time between two reads, in milliseconds; five seconds unless set.
 */
export function useRead<Value>(path: string, againMs = AGAIN_MS): Read<Value> {
  const [told, setTold] = useState<Told<Value>>({ path, value: null, fault: null });
  const [round, setRound] = useState(0);
  const reload = useCallback(() => setRound((before) => before + 1), []);
  useEffect(() => {
    const stop = new AbortController();
    const look = async (): Promise<void> => {
      const answer = await readAddress<Value>(path, stop.signal);
      if (stop.signal.aborted) return;
      setTold((before) => {
        const value = before.path === path ? before.value : null;
        return { path, value: answer.value ?? value, fault: answer.fault };
      });
    };
    void look();
    const again = setInterval(() => {
      if (document.visibilityState === 'visible') void look();
    }, againMs);
    return () => {
      stop.abort();
      clearInterval(again);
    };
  }, [path, round, againMs]);
  // What another address told is not shown for this one.
  return told.path === path ? { ...told, reload } : { value: null, fault: null, reload };
}

interface Told<Value> {
  readonly path: string;
  readonly value: Value | null;
  readonly fault: ReadFault | null;
}
