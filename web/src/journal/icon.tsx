import type { JSX } from 'preact';

/** Paths of icons on a 16 by 16 grid; not all fonts have these symbols. */
const PATHS = {
  first: 'M3 3h2v10H3zM13 3v10L6 8z',
  back: 'M11.5 3v10L4.5 8z',
  play: 'M4.5 2.5v11L13 8z',
  pause: 'M4 3h3v10H4zM9 3h3v10H9z',
  forward: 'M4.5 3v10l7-5z',
} as const;

/** Name of an icon. */
export type IconName = keyof typeof PATHS;

/** A decorative icon for a button with its own label. */
export function Icon({ name }: { readonly name: IconName }): JSX.Element {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
