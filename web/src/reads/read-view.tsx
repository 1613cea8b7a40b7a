import type { ComponentChildren, JSX } from 'preact';
import { ErrorState, Loading } from '../parts/notice.tsx';
import type { PolledRead } from './use-read.ts';

/** Shows a read value or its error; after a failed refresh, shows both. */
export function ReadView<Value>({
  read,
  what,
  children,
}: {
  readonly read: PolledRead<Value>;
  /** What is read, in the plural: `jobs`. */
  readonly what: string;
  readonly children: (value: Value) => ComponentChildren;
}): JSX.Element {
  const { value, error, reload } = read;
  if (value === null) {
    if (error === null) return <Loading what={what} />;
    return <ErrorState title={`Cannot load ${what}`} words={error.words} retry={reload} />;
  }
  return (
    <>
      {error === null ? null : (
        <p class="stale-note" role="status">
          Not refreshed: {error.words}
        </p>
      )}
      {children(value)}
    </>
  );
}
