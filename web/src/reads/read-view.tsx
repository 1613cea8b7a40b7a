import type { ComponentChildren, JSX } from 'preact';
import { Fault, Loading } from '../parts/notice.tsx';
import type { Read } from './use-read.ts';

/** Shows a read value or its error; after a failed refresh, shows both. */
export function ReadView<Value>({
  read,
  what,
  children,
}: {
  readonly read: Read<Value>;
  /** What is read, in the plural: `jobs`. */
  readonly what: string;
  readonly children: (value: Value) => ComponentChildren;
}): JSX.Element {
  const { value, fault, reload } = read;
  if (value === null) {
    if (fault === null) return <Loading what={what} />;
    return <Fault title={`Cannot load ${what}`} words={fault.words} retry={reload} />;
  }
  return (
    <>
      {fault === null ? null : (
        <p class="stale-note" role="status">
          Not refreshed: {fault.words}
        </p>
      )}
      {children(value)}
    </>
  );
}
