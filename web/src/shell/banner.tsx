import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { ConnectionState } from '../connection/connection.ts';
import { useConnection } from '../connection/use-connection.ts';
import { ClockTime } from '../parts/times.tsx';
import { announce } from './announcer.tsx';

/** The connection state in the page header. */
export function ConnectionMark(): JSX.Element {
  const { name } = useConnection().state.value;
  return (
    <span class={`line-mark is-${name}`} data-connection={name}>
      <span class="line-dot" aria-hidden="true" />
      {STATE_LABELS[name]}
    </span>
  );
}

/** A banner shown while the connection is lost, with a button to retry. */
export function ConnectionBanner(): JSX.Element | null {
  const connection = useConnection();
  const state = connection.state.value;
  useEffect(() => announce(`Connection: ${STATE_LABELS[state.name]}`), [state.name]);
  if (state.name !== 'lost') return null;
  return (
    <div class="banner is-warning" role="alert">
      <p>
        Not connected since <ClockTime at={state.since} />. The page shows the state at that time.
        It reconnects automatically.
      </p>
      <button type="button" class="button" onClick={() => connection.start()}>
        Retry now
      </button>
    </div>
  );
}

const STATE_LABELS: Readonly<Record<ConnectionState['name'], string>> = {
  connecting: 'connecting',
  live: 'live',
  lost: 'not connected',
  'signed-out': 'signed out',
};
