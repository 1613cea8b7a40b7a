import { createContext } from 'preact';
import { useContext, useEffect, useRef, useState } from 'preact/hooks';
import type { Json } from '../../../src/domain/common/json.ts';
import type { Reading, Topic } from '../../../src/domain/inspect/message.ts';
import type { Connection } from './connection.ts';
import { Refusal, wordsOf } from './refusal.ts';
import type { Listener, TopicOf } from './topic.ts';

/** Carries the page's one connection. */
export const ConnectionContext = createContext<Connection | null>(null);

/** The page's connection. */
export function useConnection(): Connection {
  const connection = useContext(ConnectionContext);
  if (connection === null) throw new TypeError('stands inside ConnectionContext.Provider');
  return connection;
}

/**
 * Subscribes while the component is there. A topic with other members begins anew; `null` waits.
 *
 * @param listener - May be a new object at each render; the newest one is called.
 */
export function useTopic<Name extends Topic['name']>(
  topic: TopicOf<Name> | null,
  listener: Listener<Name>,
): void {
  const connection = useConnection();
  const newest = useRef(listener);
  newest.current = listener;
  const key = topic === null ? null : JSON.stringify(topic);
  useEffect(() => {
    if (key === null) return undefined;
    return connection.subscribe(JSON.parse(key) as TopicOf<Name>, {
      frame: (frame) => newest.current.frame?.(frame),
      rows: (rows) => newest.current.rows?.(rows),
      shown: (event) => newest.current.shown?.(event),
      ended: (error) => newest.current.ended?.(error),
    });
  }, [connection, key]);
}

/** A reading on its way, there, or refused. */
export type ReadingState<Result> =
  | { readonly name: 'waiting' }
  | { readonly name: 'there'; readonly result: Result }
  | { readonly name: 'refused'; readonly code: string; readonly words: string };

/** Reads once for each new reading; the answer to an older one is dropped. `null` waits. */
export function useReading<Result = Json>(reading: Reading | null): ReadingState<Result> {
  const connection = useConnection();
  const [state, setState] = useState<ReadingState<Result>>({ name: 'waiting' });
  const key = reading === null ? null : JSON.stringify(reading);
  useEffect(() => {
    setState({ name: 'waiting' });
    if (key === null) return undefined;
    let isNewest = true;
    connection.read(JSON.parse(key) as Reading).then(
      // The shape is the one that `message.ts` names beside each reading.
      (result) => isNewest && setState({ name: 'there', result: result as Result }),
      (thrown: unknown) => {
        if (!isNewest) return;
        const code = thrown instanceof Refusal ? thrown.code : 'INTERNAL';
        setState({ name: 'refused', code, words: wordsOf(thrown) });
      },
    );
    return () => {
      isNewest = false;
    };
  }, [connection, key]);
  return state;
}
