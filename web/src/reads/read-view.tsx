import type { ComponentChildren, JSX } from 'preact';
import { Fault, Loading } from '../parts/notice.tsx';
import type { Read } from './use-read.ts';

/** Shows what was read, or why there is nothing; a later fault stands above the older value. */
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
    return <Fault title={`No ${what} can be shown`} words={fault.words} retry={reload} />;
  }
  return (
    <>
      {fault === null ? null : (
        <p class="stale-note" role="status">
          Not read anew: {fault.words}
        </p>
      )}
      {children(value)}
    </>
  );
}
