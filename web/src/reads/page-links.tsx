import type { JSX } from 'preact';

/** Pagination buttons: to the next page, and back to the first. */
export function PageLinks({
  next,
  isFirst,
  go,
  words = NEWEST_FIRST,
}: {
  readonly next: string | null;
  readonly isFirst: boolean;
  readonly go: (cursor: string | null) => void;
  /** Labels for lists that are not ordered newest first. */
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
