import { createContext } from 'preact';
import { useContext, useEffect, useRef, useState } from 'preact/hooks';
import type { Json } from '../../../src/domain/common/json.ts';
import type { Reading, Topic } from '../../../src/domain/inspect/message.ts';
import type { Connection } from './connection.ts';
import { Refusal, wordsOf } from './refusal.ts';
import type { Listener, TopicOf } from './topic.ts';

/** Provides the page's connection. */
export const ConnectionContext = createContext<Connection | null>(null);

/** Returns the page's connection. */
export function useConnection(): Connection {
  const connection = useContext(ConnectionContext);
  if (connection === null) throw new TypeError('ConnectionContext.Provider is missing');
  return connection;
}

/**
 * Subscribes while the component is mounted. A changed topic resubscribes; `null` does not
 * subscribe.
 *
 * @param listener - May be a new object on each render; the latest one is called.
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

/** State of a read. */
export type ReadingState<Result> =
  | { readonly name: 'waiting' }
  | { readonly name: 'there'; readonly result: Result }
  | { readonly name: 'refused'; readonly code: string; readonly words: string };

/** Reads once per distinct request and drops outdated answers; `null` does not read. */
export function useReading<Result = Json>(reading: Reading | null): ReadingState<Result> {
  const connection = useConnection();
  const [state, setState] = useState<ReadingState<Result>>({ name: 'waiting' });
  const key = reading === null ? null : JSON.stringify(reading);
  useEffect(() => {
    setState({ name: 'waiting' });
    if (key === null) return undefined;
    let isNewest = true;
    connection.read(JSON.parse(key) as Reading).then(
      // `message.ts` declares the result type of each read.
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
