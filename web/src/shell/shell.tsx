import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { signOut } from '../connection/sign-in.ts';
import { useConnection } from '../connection/use-connection.ts';
import type { PageEntry } from '../pages.ts';
import { Announcer, announce } from './announcer.tsx';
import { ConnectionBanner, ConnectionMark } from './banner.tsx';
import { useSite } from './console-site.ts';
import { CurrentPage } from './current-page.tsx';
import { consoleUrl, currentLocation, navigate } from './router.ts';
import { ShortcutList, showShortcuts } from './shortcut-list.tsx';
import { useShortcuts } from './shortcuts.ts';
import { SignedOut } from './signed-out.tsx';
import { nextTheme, setTheme, theme } from './theme.ts';

/** The frame around every page. `whySignedOut` explains a failed sign-in link. */
export function Shell({ whySignedOut }: { readonly whySignedOut: string | null }): JSX.Element {
  const isSignedOut = useConnection().state.value.name === 'signed-out';
  useShortcuts([
    { keys: '?', words: 'Keyboard shortcuts', run: showShortcuts },
    { keys: 't', words: 'Next theme: system, light, dark', run: cycleTheme },
    ...useNavigationPages().map(({ name, title, key }) => ({
      keys: `g ${key}`,
      words: `Go to ${title}`,
      run: () => navigate(consoleUrl([name])),
    })),
  ]);
  return (
    <div class="shell">
      <a class="skip-link" href="#main">
        Skip to content
      </a>
      <Head />
      <ConnectionBanner />
      <main id="main" class="main" tabIndex={-1}>
        {isSignedOut ? <SignedOut why={whySignedOut} /> : <CurrentPage />}
      </main>
      <Announcer />
      <ShortcutList />
    </div>
  );
}

function Head(): JSX.Element {
  return (
    <header class="head">
      <a class="brand" href={consoleUrl(['actors'])}>
        <svg class="brand-mark" viewBox="0 0 16 16" aria-hidden="true">
          <path d="M1 4.5 8 1l7 3.5H1ZM2.5 6h2v7h-2zM7 6h2v7H7zM11.5 6h2v7h-2zM1 14h14v1.5H1z" />
        </svg>
        Stoa
      </a>
      <Navigation />
      <div class="head-end">
        <ConnectionMark />
        <ThemeButton />
        <button
          type="button"
          class="button is-quiet"
          aria-label="Keyboard shortcuts"
          onClick={showShortcuts}
        >
          ?
        </button>
        <LeaveButton />
      </div>
    </header>
  );
}

function Navigation(): JSX.Element {
  const current = currentLocation.value.parts[0] ?? 'actors';
  const { pages } = useSite();
  const bar = useRef<HTMLElement>(null);
  // On a phone, the navigation is wider than the page and scrolls.
  useEffect(() => {
    if (bar.current !== null) centerCurrentLink(bar.current);
  }, [current]);
  return (
    <nav class="navigation" aria-label="Pages" ref={bar}>
      <ul>
        {useNavigationPages().map(({ name, title }) => (
          <li key={name}>
            <a
              href={consoleUrl([name])}
              aria-current={isCurrentPage(name, current, pages) ? 'page' : undefined}
            >
              {title}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** Centers the current link. `scrollIntoView` would change where the next Tab press goes. */
function centerCurrentLink(navigation: HTMLElement): void {
  const link = navigation.querySelector('[aria-current]');
  if (link === null) return;
  const [place, room] = [link, navigation].map((part) => part.getBoundingClientRect());
  if (place === undefined || room === undefined) return;
  navigation.scrollLeft += place.left + place.width / 2 - (room.left + room.width / 2);
}

function useNavigationPages(): readonly PageEntry[] {
  return useSite().pages.filter(({ key }) => key !== undefined);
}

function isCurrentPage(name: string, current: string, pages: readonly PageEntry[]): boolean {
  return name === current || pages.find((page) => page.name === current)?.under === name;
}

function ThemeButton(): JSX.Element {
  return (
    <button
      type="button"
      class="button is-quiet"
      onClick={cycleTheme}
      aria-label={`Theme: ${theme.value}`}
    >
      <span aria-hidden="true">{THEME_SYMBOLS[theme.value]}</span>
    </button>
  );
}

function LeaveButton(): JSX.Element | null {
  const connection = useConnection();
  if (connection.state.value.name === 'signed-out') return null;
  // Clear the cookie first, so that the page never looks signed out while it is not.
  const left = (): Promise<void> =>
    signOut().then(
      () => connection.stop(),
      () => announce('The server does not respond. This browser is still signed in.'),
    );
  return (
    <button type="button" class="button is-quiet" onClick={() => void left()}>
      Sign out
    </button>
  );
}

function cycleTheme(): void {
  setTheme(nextTheme(theme.value));
}

const THEME_SYMBOLS = { system: '◐', light: '☀', dark: '☾' } as const;
