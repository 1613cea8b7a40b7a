import { useEffect, useRef, useState } from 'preact/hooks';
import { useTopic } from '../connection/use-connection.ts';
import { Directory } from './directory.ts';

/** Shortest time between two settlings that nobody asked for, in milliseconds. */
const SETTLE_MS = 1000;

/** The page's directory, with a number that grows with each change of it. */
export interface LiveDirectory {
  readonly directory: Directory;
  /** Why the server ended the list; `null` while it goes on. */
  readonly fault: string | null;
  /** Draws the page again. */
  changed(): void;
}

/**
 * Follows all actors, drawing at most once a frame. While nobody looks closer, changes are settled
 * by themselves; `isHeld` says when somebody does.
 */
export function useDirectory(isHeld: () => boolean): LiveDirectory {
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
        directory.take(pushed);
        // While it comes in for the first time, there is no place yet that anybody could lose.
        if (!wasWhole) directory.settle();
        changed();
      },
      ended: ({ message }) => setFault(message),
    },
  );
  useEffect(() => {
    const timer = setInterval(() => {
      const { added, changed: moved } = directory.unsettled;
      if (added + moved === 0 || isHeld()) return;
      directory.settle();
      changed();
    }, SETTLE_MS);
    return () => clearInterval(timer);
  }, []);
  useEffect(() => () => cancelAnimationFrame(frame.current), []);
  return { directory, fault, changed };
}
