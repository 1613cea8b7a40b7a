import { createContext } from 'preact';
import { useContext, useEffect, useRef, useState } from 'preact/hooks';
import type { ReadQuery, Topic } from '../../../src/domain/inspect/message.ts';
import type { ReadResults } from '../../../src/domain/inspect/wire.ts';
import type { Connection } from './connection.ts';
import { errorMessage, RequestError } from './request-error.ts';
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
  const latest = useRef(listener);
  latest.current = listener;
  const key = topic === null ? null : JSON.stringify(topic);
  useEffect(() => {
    if (key === null) return undefined;
    return connection.subscribe(JSON.parse(key) as TopicOf<Name>, {
      frame: (frame) => latest.current.frame?.(frame),
      rows: (rows) => latest.current.rows?.(rows),
      liveText: (event) => latest.current.liveText?.(event),
      ended: (error) => latest.current.ended?.(error),
    });
  }, [connection, key]);
}

/** State of a read. */
export type ConnectionReadState<Result> =
  | { readonly name: 'waiting' }
  | { readonly name: 'there'; readonly result: Result }
  | { readonly name: 'refused'; readonly code: string; readonly words: string };

/** Reads once per distinct request and drops outdated answers; `null` does not read. */
export function useConnectionRead<Query extends ReadQuery>(
  reading: Query | null,
): ConnectionReadState<ReadResults[Query['name']]> {
  const connection = useConnection();
  const [state, setState] = useState<ConnectionReadState<ReadResults[Query['name']]>>({
    name: 'waiting',
  });
  const key = reading === null ? null : JSON.stringify(reading);
  useEffect(() => {
    setState({ name: 'waiting' });
    if (key === null) return undefined;
    let isNewest = true;
    connection.read(JSON.parse(key) as Query).then(
      (result) => isNewest && setState({ name: 'there', result }),
      (thrown: unknown) => {
        if (!isNewest) return;
        const code = thrown instanceof RequestError ? thrown.code : 'INTERNAL';
        setState({ name: 'refused', code, words: errorMessage(thrown) });
      },
    );
    return () => {
      isNewest = false;
    };
  }, [connection, key]);
  return state;
}
