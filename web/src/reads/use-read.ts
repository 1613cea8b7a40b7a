import { useCallback, useEffect, useState } from 'preact/hooks';
import { type ReadError, readUrl } from './read.ts';

/** Default poll interval of a visible page, in milliseconds. */
const POLL_MS = 5_000;

/** State of a polled read. After an error, the last value stays. */
export interface PolledRead<Value> {
  readonly value: Value | null;
  readonly error: ReadError | null;
  reload(): void;
}

/**
 * Reads a URL now and polls it while the page is visible.
 *
 * @param againMs - Poll interval, in milliseconds; default 5,000.
 */
export function useRead<Value>(path: string, againMs = POLL_MS): PolledRead<Value> {
  const [told, setTold] = useState<StoredRead<Value>>({ path, value: null, error: null });
  const [round, setRound] = useState(0);
  const reload = useCallback(() => setRound((before) => before + 1), []);
  useEffect(() => {
    const stop = new AbortController();
    const look = async (): Promise<void> => {
      const answer = await readUrl<Value>(path, stop.signal);
      if (stop.signal.aborted) return;
      setTold((before) => {
        const value = before.path === path ? before.value : null;
        return { path, value: answer.value ?? value, error: answer.fault };
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
  // Never show the value of another URL.
  return told.path === path ? { ...told, reload } : { value: null, error: null, reload };
}

interface StoredRead<Value> {
  readonly path: string;
  readonly value: Value | null;
  readonly error: ReadError | null;
}
