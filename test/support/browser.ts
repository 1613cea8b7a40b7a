import { existsSync, readFileSync } from 'node:fs';
import axe from 'axe-core';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import type { RealServer } from './real-server.ts';

/** Where systems put Chromium; the first that is there is taken. */
const CHROMIUM = [
  process.env['STOA_CHROMIUM'],
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find((path) => path !== undefined && existsSync(path));

/** Whether browser tests can run here. In CI they must: there a missing browser fails them. */
export const HAS_BROWSER = CHROMIUM !== undefined || process.env['CI'] === 'true';

/** Widths at which every view is looked at, in CSS pixels. */
export const WIDTHS = { phone: 390, laptop: 1280 } as const;

/** How long a page may take for a step, in milliseconds: a hang guard. */
const WAIT_MS = 45_000;

/** How a console is looked at. */
export interface Look {
  readonly width?: keyof typeof WIDTHS;
  readonly theme?: 'light' | 'dark';
}

/** Where a console is served and what makes links for it. */
export interface ConsoleServer {
  readonly baseUrl: string;
  readonly token: string;
}

/** A console in a browser, and what went wrong in it. */
export interface ConsolePage {
  readonly page: Page;
  /** Requests to anywhere but the server. */
  readonly strangers: readonly string[];
  /** Errors of the page: thrown, logged, or told by its policy. */
  readonly complaints: readonly string[];
}

/** Starts Chromium; all names but this machine's lead nowhere. */
export function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    ...(CHROMIUM === undefined ? {} : { executablePath: CHROMIUM }),
    args: [
      // Chromium refuses its sandbox to root, who runs tests in containers.
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
    ],
  });
}

/** Closes all pages: what a test has left open goes on drawing, and slows the next ones. */
export async function closePages(browser: Browser | undefined): Promise<void> {
  await Promise.all((browser?.contexts() ?? []).map((context) => context.close()));
}

/** The console of a real server. */
export function consoleOf({ ready }: RealServer): ConsoleServer {
  return { baseUrl: ready.base_url, token: readFileSync(ready.token_file, 'utf8').trim() };
}

/** Makes a one-time link. */
export async function consoleLink({ baseUrl, token }: ConsoleServer): Promise<string> {
  const answer = await fetch(`${baseUrl}/console/link`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: '{}',
  });
  if (!answer.ok) throw new Error(await answer.text());
  return ((await answer.json()) as { url: string }).url;
}

/** Opens a page of the server in a browser of its own that has not entered. */
export async function openPage(
  browser: Browser,
  { baseUrl }: ConsoleServer,
  { width = 'laptop', theme = 'light' }: Look = {},
): Promise<ConsolePage> {
  const context = await browser.newContext({
    viewport: { width: WIDTHS[width], height: 800 },
    colorScheme: theme,
    hasTouch: width === 'phone',
  });
  const page = await context.newPage();
  page.setDefaultTimeout(WAIT_MS);
  const strangers: string[] = [];
  const complaints: string[] = [];
  page.on('request', (request) => {
    const { origin } = new URL(request.url());
    if (origin !== baseUrl) strangers.push(request.url());
  });
  page.on('websocket', (socket) => {
    if (new URL(socket.url()).host !== new URL(baseUrl).host) strangers.push(socket.url());
  });
  page.on('pageerror', ({ message }) => complaints.push(message));
  page.on('console', (line) => {
    if (line.type() === 'error') complaints.push(line.text());
  });
  return { page, strangers, complaints };
}

/** Cookies of servers that were entered: codes may be tried ten times at once, pages are more. */
const entered = new Map<string, Awaited<ReturnType<BrowserContext['cookies']>>>();

/** Enters the console at a path of it, the first time by a code, and waits until it is live. */
export async function openConsole(
  browser: Browser,
  server: ConsoleServer,
  { path = '/console/', ...look }: Look & { readonly path?: string } = {},
): Promise<ConsolePage> {
  const opened = await openPage(browser, server, look);
  const { page } = opened;
  const entry = `${server.baseUrl} ${server.token}`;
  await page.context().addCookies(entered.get(entry) ?? []);
  // Every address of the console takes a code.
  const { hash } = entered.has(entry) ? { hash: '' } : new URL(await consoleLink(server));
  await page.goto(`${server.baseUrl}${path}${hash}`);
  await isLive(page);
  entered.set(entry, await page.context().cookies());
  return opened;
}

/** Waits until the page says that its line to the server is open. */
export async function isLive(page: Page): Promise<void> {
  await page.locator('[data-connection="live"]').waitFor();
}

/** What axe-core finds wrong in a page, of those findings that keep people out. */
export async function accessFaults(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  const found: AxeResults = await page.evaluate('axe.run(document)');
  return found.violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`));
}

interface AxeResults {
  readonly violations: readonly {
    readonly id: string;
    readonly impact: string | null;
    readonly nodes: readonly { readonly html: string }[];
  }[];
}
