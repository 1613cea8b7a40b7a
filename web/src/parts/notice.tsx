import type { ComponentChildren, JSX } from 'preact';

/** An empty state with a title and what to do. */
export function EmptyState({
  title,
  children,
}: {
  readonly title: string;
  readonly children?: ComponentChildren;
}): JSX.Element {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children}
    </div>
  );
}

/** An error state with a message and an optional retry button. */
export function ErrorState({
  title,
  words,
  retry,
  children,
}: {
  readonly title: string;
  readonly words: string;
  readonly retry?: () => void;
  readonly children?: ComponentChildren;
}): JSX.Element {
  return (
    <div class="empty is-fault" role="alert">
      <p class="empty-title">{title}</p>
      <p>{words}</p>
      {retry === undefined ? null : (
        <button type="button" class="button" onClick={retry}>
          Try again
        </button>
      )}
      {children}
    </div>
  );
}

/** A loading state. */
export function Loading({ what }: { readonly what: string }): JSX.Element {
  return (
    <p class="loading" role="status">
      Loading {what} …
    </p>
  );
}
