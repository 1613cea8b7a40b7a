import { type ReadonlySignal, signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';

/** A keyboard shortcut. */
export interface Shortcut {
  /** A value of `KeyboardEvent.key`, or a sequence of two: `g a`. */
  readonly keys: string;
  /** Description in the list of shortcuts. */
  readonly words: string;
  run(): void;
}

/** Time limit for the second key of a sequence, in milliseconds. */
const PAIR_MS = 1500;
const active = signal<readonly (readonly Shortcut[])[]>([]);
let firstKey = '';
let firstAt = 0;

/** All active shortcuts, those of the shell first. */
export const shortcuts: ReadonlySignal<readonly (readonly Shortcut[])[]> = active;

/** Registers shortcuts while the component is mounted. */
export function useShortcuts(list: readonly Shortcut[]): void {
  const newest = useRef(list);
  newest.current = list;
  useEffect(() => {
    const group = list.map((one, index) => ({
      ...one,
      run: () => newest.current[index]?.run(),
    }));
    active.value = [...active.value, group];
    return () => {
      active.value = active.value.filter((other) => other !== group);
    };
  }, []);
}

/**
 * Runs shortcuts on key presses, except while the user types in a field.
 *
 * @returns A function that removes the handler.
 */
export function handleKeys(target: Document): () => void {
  const pressed = (event: KeyboardEvent): void => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (isHandledByFocus(event) || target.querySelector('dialog[open]') !== null) return;
    const pair = event.timeStamp - firstAt < PAIR_MS ? `${firstKey} ${event.key}` : '';
    const all = active.value.flat();
    const found =
      all.findLast(({ keys }) => keys === pair) ?? all.findLast(({ keys }) => keys === event.key);
    firstKey = event.key;
    firstAt = event.timeStamp;
    if (found === undefined) return;
    event.preventDefault();
    found.run();
  };
  target.addEventListener('keydown', pressed);
  return () => target.removeEventListener('keydown', pressed);
}

/** Returns true if the focused element uses the key: a field any key, a button Enter or Space. */
function isHandledByFocus({ target, key }: KeyboardEvent): boolean {
  const isPress = key === 'Enter' || key === ' ';
  if (isPress && target instanceof Element && target.closest('a, button, summary') !== null) {
    return true;
  }
  return isTyping(target);
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  const isField = /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
  return target.isContentEditable || (isField && !isButtonLike(target));
}

function isButtonLike(target: HTMLElement): boolean {
  return target instanceof HTMLInputElement && /^(checkbox|radio|button|range)$/.test(target.type);
}
