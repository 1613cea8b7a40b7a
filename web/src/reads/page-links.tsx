import type { JSX } from 'preact';

/** Goes through a listing: to the older rows, and back to the newest. */
export function PageLinks({
  next,
  isFirst,
  go,
}: {
  readonly next: string | null;
  readonly isFirst: boolean;
  readonly go: (cursor: string | null) => void;
}): JSX.Element | null {
  if (next === null && isFirst) return null;
  return (
    <div class="toolbar page-links">
      {isFirst ? null : (
        <button type="button" class="button is-small" onClick={() => go(null)}>
          Newest
        </button>
      )}
      {next === null ? null : (
        <button type="button" class="button is-small" onClick={() => go(next)}>
          Older
        </button>
      )}
    </div>
  );
}
