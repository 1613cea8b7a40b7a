import { signal } from '@preact/signals';
import type { JSX } from 'preact';

const words = signal('');

/** Announces a text to screen readers politely. */
export function announce(text: string): void {
  // An unchanged text would not be announced again.
  words.value = words.value === text ? `${text}\u00a0` : text;
}

/** The live region for announcements; rendered once, in the shell. */
export function Announcer(): JSX.Element {
  return (
    <div class="visually-hidden" role="status" aria-live="polite">
      {words.value}
    </div>
  );
}
