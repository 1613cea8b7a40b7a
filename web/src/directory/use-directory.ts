import { useEffect, useRef, useState } from 'preact/hooks';
import { useTopic } from '../connection/use-connection.ts';
import { Directory } from './directory.ts';

/** Interval of automatic settling, in milliseconds. */
const SETTLE_MS = 1000;

/** The page's live directory of actors. */
export interface LiveDirectory {
  readonly directory: Directory;
  /** Why the server ended the subscription; `null` while it is active. */
  readonly error: string | null;
  scheduleRender(): void;
}

/**
 * Subscribes to all actors and renders at most once per animation frame. Settles changes
 * automatically unless `isFrozen` returns true, which means that the user works with the list.
 */
export function useDirectory(isFrozen: () => boolean): LiveDirectory {
  const [directory] = useState(() => new Directory());
  const [, setDrawn] = useState(0);
  const [fault, setFault] = useState<string | null>(null);
  const frame = useRef(0);
  const changed = (): void => {
    if (frame.current !== 0) return;
    frame.current = requestAnimationFrame(() => {
      frame.current = 0;
      setDrawn((count) => count + 1);
    });
  };
  useTopic<'actors'>(
    { name: 'actors' },
    {
      frame: (pushed) => {
        const wasWhole = directory.isWhole;
        directory.applyFrame(pushed);
        // During the first snapshot, no one can lose their position in the list.
        if (!wasWhole) directory.applyPending();
        changed();
      },
      ended: ({ message }) => setFault(message),
    },
  );
  useEffect(() => {
    const timer = setInterval(() => {
      const { added, changed: moved } = directory.pendingChanges;
      if (added + moved === 0 || isFrozen()) return;
      directory.applyPending();
      changed();
    }, SETTLE_MS);
    return () => clearInterval(timer);
  }, []);
  useEffect(() => () => cancelAnimationFrame(frame.current), []);
  return { directory, error: fault, scheduleRender: changed };
}
