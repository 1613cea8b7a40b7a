import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, type TestAPI, test, vi } from 'vitest';
import {
  accessFaults,
  type ConsolePage,
  type ConsoleServer,
  closePages,
  HAS_BROWSER,
  type Look,
  launchBrowser,
  openConsole,
  WIDTHS,
} from './browser.ts';

/** How long one test may take, and the start of browser and server, in milliseconds. */
const TEST_MS = 240_000;
const START_MS = 240_000;

/** A server with a console, for the tests of one file. */
export interface ConsoleHost {
  readonly served: ConsoleServer;
  end(): Promise<void>;
}

/** A browser beside a server, for the tests of one file. */
export interface BrowserTest<Host> {
  /** A test that is left out where there is no browser. */
  readonly browserTest: TestAPI;
  /** The server, once tests run. */
  host(): Host;
  /** Enters the console at a path. */
  open(path: string, look?: Look): Promise<ConsolePage>;
}

/** Starts browser and server before the tests of a file, and ends them behind the last one. */
export function besideBrowser<Host extends ConsoleHost>(
  start: () => Promise<Host>,
): BrowserTest<Host> {
  vi.setConfig({ testTimeout: TEST_MS });
  let browser: Browser | undefined;
  let running: Host | undefined;
  beforeAll(async () => {
    if (!HAS_BROWSER) return;
    [browser, running] = await Promise.all([launchBrowser(), start()]);
  }, START_MS);
  afterEach(() => closePages(browser));
  afterAll(async () => {
    await browser?.close();
    await running?.end();
  });
  const host = (): Host => {
    if (running === undefined) throw new Error('the server runs while tests do');
    return running;
  };
  return {
    browserTest: test.skipIf(!HAS_BROWSER) as TestAPI,
    host,
    open: (path, look = {}) => {
      if (browser === undefined) throw new Error('the browser runs while tests do');
      return openConsole(browser, host().served, { ...look, path });
    },
  };
}

/** A page and what is on it once it has been read. */
export type PageSign = readonly [path: string, selector: string];

/** Looks at pages in both themes and widths: nobody is kept out, and nothing is too wide. */
export async function expectForEverybody(
  open: BrowserTest<unknown>['open'],
  pages: readonly PageSign[],
): Promise<void> {
  for (const width of ['laptop', 'phone'] as const) {
    const opened = await open('/console/', { width });
    const { page } = opened;
    for (const [path, selector] of pages) {
      await page.goto(new URL(path, page.url()).href);
      await page.locator(selector).first().waitFor();
      for (const colorScheme of ['light', 'dark'] as const) {
        // A colour that is still on its way from one theme to the other is of neither.
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        expect(await accessFaults(page), `${path} ${width} ${colorScheme}`).toEqual([]);
      }
      const wide = await page.evaluate<number>('document.documentElement.scrollWidth');
      expect(wide, `${path} ${width}`).toBe(WIDTHS[width]);
    }
    expect([...opened.strangers, ...opened.complaints]).toEqual([]);
  }
}
