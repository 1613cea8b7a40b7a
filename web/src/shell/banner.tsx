import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { ConnectionState } from '../connection/connection.ts';
import { useConnection } from '../connection/use-connection.ts';
import { ClockTime } from '../parts/times.tsx';
import { announce } from './announcer.tsx';

/** How the line is, as a word and a mark in the head of the page. */
export function ConnectionMark(): JSX.Element {
  const { name } = useConnection().state.value;
  return (
    <span class={`line-mark is-${name}`} data-connection={name}>
      <span class="line-dot" aria-hidden="true" />
      {WORDS[name]}
    </span>
  );
}

/** Says across the page that what it shows is no longer live, since when, and what to do. */
export function ConnectionBanner(): JSX.Element | null {
  const connection = useConnection();
  const state = connection.state.value;
  useEffect(() => announce(`Connection: ${WORDS[state.name]}`), [state.name]);
  if (state.name !== 'lost') return null;
  return (
    <div class="banner is-warning" role="alert">
      <p>
        Not connected since <ClockTime at={state.since} />. What you see is from then; the page goes
        on by itself as soon as the server answers.
      </p>
      <button type="button" class="button" onClick={() => connection.start()}>
        Try now
      </button>
    </div>
  );
}

const WORDS: Readonly<Record<ConnectionState['name'], string>> = {
  connecting: 'connecting',
  live: 'live',
  lost: 'not connected',
  'signed-out': 'signed out',
};
