import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { shortcuts } from './shortcuts.ts';

const isShown = signal(false);

/** Opens the list of keyboard shortcuts. */
export function showShortcuts(): void {
  isShown.value = true;
}

/** The list of active keyboard shortcuts; rendered once, in the shell. */
export function ShortcutList(): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  const isOpen = isShown.value;
  useEffect(() => {
    if (isOpen && dialog.current?.open === false) dialog.current.showModal();
  }, [isOpen]);
  return (
    <dialog
      ref={dialog}
      class="dialog"
      aria-labelledby="shortcut-title"
      onClose={() => {
        isShown.value = false;
      }}
    >
      <h2 id="shortcut-title">Keyboard shortcuts</h2>
      <dl class="keys">
        {shortcuts.value.flat().map(({ keys, words }) => (
          <div key={keys}>
            <dt>
              {keys.split(' ').map((one) => (
                <kbd key={one}>{KEY_NAMES[one] ?? one}</kbd>
              ))}
            </dt>
            <dd>{words}</dd>
          </div>
        ))}
      </dl>
      <form method="dialog">
        <button type="submit" class="button">
          Close
        </button>
      </form>
    </dialog>
  );
}

const KEY_NAMES: Readonly<Record<string, string>> = {
  ArrowDown: '↓',
  ArrowUp: '↑',
  ArrowLeft: '←',
  ArrowRight: '→',
  ' ': 'Space',
};
