import type { JSX } from 'preact';

/** Goes through a listing: to the older rows, and back to the newest. */
export function PageLinks({
  next,
  isFirst,
  go,
  words = NEWEST_FIRST,
}: {
  readonly next: string | null;
  readonly isFirst: boolean;
  readonly go: (cursor: string | null) => void;
  /** Of listings that do not begin with the newest row. */
  readonly words?: { readonly first: string; readonly next: string };
}): JSX.Element | null {
  if (next === null && isFirst) return null;
  return (
    <div class="toolbar page-links">
      {isFirst ? null : (
        <button type="button" class="button is-small" onClick={() => go(null)}>
          {words.first}
        </button>
      )}
      {next === null ? null : (
        <button type="button" class="button is-small" onClick={() => go(next)}>
          {words.next}
        </button>
      )}
    </div>
  );
}

const NEWEST_FIRST = { first: 'Newest', next: 'Older' } as const;
