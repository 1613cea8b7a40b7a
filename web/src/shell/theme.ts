import { type ReadonlySignal, signal } from '@preact/signals';

/** Colours that a person chose; `system` follows the machine. */
export type Theme = 'system' | 'light' | 'dark';

const KEY = 'stoa.theme';
const THEMES: readonly Theme[] = ['system', 'light', 'dark'];
const chosen = signal<Theme>('system');

/** The chosen theme. */
export const theme: ReadonlySignal<Theme> = chosen;

/** Puts the kept theme into effect. */
export function applyTheme(): void {
  const kept = readKept();
  if (kept !== null) setTheme(kept);
}

/** Chooses a theme and keeps it in this browser. */
export function setTheme(next: Theme): void {
  chosen.value = next;
  const root = document.documentElement;
  if (next === 'system') delete root.dataset['theme'];
  else root.dataset['theme'] = next;
  try {
    localStorage.setItem(KEY, next);
  } catch {
    // A browser that keeps nothing shows the theme until the page is closed.
  }
}

/** The theme behind this one: system, light, dark, and again. */
export function nextTheme(current: Theme): Theme {
  return THEMES[(THEMES.indexOf(current) + 1) % THEMES.length] ?? 'system';
}

function readKept(): Theme | null {
  try {
    const kept = localStorage.getItem(KEY);
    return THEMES.find((one) => one === kept) ?? null;
  } catch {
    return null;
  }
}
