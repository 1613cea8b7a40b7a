import { type ReadonlySignal, signal } from '@preact/signals';

/** Colour theme; `system` follows the operating system. */
export type Theme = 'system' | 'light' | 'dark';

const KEY = 'stoa.theme';
const THEMES: readonly Theme[] = ['system', 'light', 'dark'];
const chosen = signal<Theme>('system');

/** The chosen theme. */
export const theme: ReadonlySignal<Theme> = chosen;

/** Applies the stored theme. */
export function applyTheme(): void {
  const kept = readStored();
  if (kept !== null) setTheme(kept);
}

/** Sets a theme and stores it in this browser. */
export function setTheme(next: Theme): void {
  chosen.value = next;
  const root = document.documentElement;
  if (next === 'system') delete root.dataset['theme'];
  else root.dataset['theme'] = next;
  try {
    localStorage.setItem(KEY, next);
  } catch {
    // Without storage, the theme applies until the page is closed.
  }
}

/** Returns the next theme in the cycle system, light, dark. */
export function nextTheme(current: Theme): Theme {
  return THEMES[(THEMES.indexOf(current) + 1) % THEMES.length] ?? 'system';
}

function readStored(): Theme | null {
  try {
    const kept = localStorage.getItem(KEY);
    return THEMES.find((one) => one === kept) ?? null;
  } catch {
    return null;
  }
}
