import { signal } from '@preact/signals';
import type { JSX } from 'preact';

const words = signal('');

/** Says something to people who do not see the screen, as soon as they are not busy listening. */
export function announce(text: string): void {
  // The same words twice would be no change, and not be said.
  words.value = words.value === text ? `${text}\u00a0` : text;
}

/** The place from which screen readers take what is announced. Stands once, in the shell. */
export function Announcer(): JSX.Element {
  return (
    <div class="visually-hidden" role="status" aria-live="polite">
      {words.value}
    </div>
  );
}
