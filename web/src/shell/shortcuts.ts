import { type ReadonlySignal, signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';

/** A key of the page. */
export interface Shortcut {
  /** As `KeyboardEvent.key` names it, or two of them behind each other: `g a`. */
  readonly keys: string;
  /** What it does, as the list under `?` says it. */
  readonly words: string;
  run(): void;
}

/** How long the second key of a pair may take, in milliseconds. */
const PAIR_MS = 1500;
const active = signal<readonly (readonly Shortcut[])[]>([]);
let firstKey = '';
let firstAt = 0;

/** All shortcuts that work now, those of the shell first. */
export const shortcuts: ReadonlySignal<readonly (readonly Shortcut[])[]> = active;

/** Adds shortcuts while a component is there. */
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
 * Runs the shortcuts of a page. Keys that a person types into a field are theirs.
 *
 * @returns Stops it.
 */
export function followKeys(target: Document): () => void {
  const pressed = (event: KeyboardEvent): void => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (isTheirs(event) || target.querySelector('dialog[open]') !== null) return;
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

/** Whether a key belongs to what has the focus: a field takes all, a button those that press it. */
function isTheirs({ target, key }: KeyboardEvent): boolean {
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
