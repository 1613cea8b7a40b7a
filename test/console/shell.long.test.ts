import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { buyDebate } from '../support/bought-debate.ts';
import {
  accessFaults,
  type ConsoleServer,
  consoleLink,
  consoleOf,
  HAS_BROWSER,
  isLive,
  launchBrowser,
  openConsole,
  openPage,
} from '../support/browser.ts';
import { cleanUp, freshDataDir, type RealServer, startRealServer } from '../support/real-server.ts';

vi.setConfig({ testTimeout: 60_000 });

const consoleTest = test.skipIf(!HAS_BROWSER);
let browser: Browser;
let server: RealServer;
let served: ConsoleServer;

beforeAll(async () => {
  if (!HAS_BROWSER) return;
  [browser, server] = await Promise.all([launchBrowser(), startRealServer(freshDataDir())]);
  served = consoleOf(server);
}, 120_000);

afterEach(async () => {
  for (const context of browser?.contexts() ?? []) await context.close();
});

afterAll(async () => {
  await browser?.close();
  await cleanUp();
});

consoleTest(
  'a link enters once, leaves no trace of its code, and the entry outlives a reload',
  async () => {
    const link = await consoleLink(served);
    const { page, strangers } = await openPage(browser, served);
    await page.goto(link);
    await isLive(page);
    expect(page.url()).toBe(`${served.baseUrl}/console/`);
    await page.reload();
    await isLive(page);
    const other = await openPage(browser, served);
    await other.page.goto(link);
    await other.page.getByRole('heading', { name: 'This browser is not signed in' }).waitFor();
    expect(await other.page.getByRole('alert').textContent()).toMatch(/used/i);
    expect(await other.page.evaluate(() => history.length)).toBeLessThanOrEqual(2);
    expect([...strangers, ...other.strangers]).toEqual([]);
  },
);

consoleTest('a browser that has not entered is told how, and enters by a pasted link', async () => {
  const { page } = await openPage(browser, served);
  await page.goto(`${served.baseUrl}/console/machines`);
  await page.getByText('stoa console', { exact: true }).waitFor();
  expect(await accessFaults(page)).toEqual([]);
  await page.getByLabel('Link or code').fill('no such code');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').waitFor();
  await page.getByLabel('Link or code').fill(await consoleLink(served));
  await page.keyboard.press('Enter');
  await isLive(page);
  await page.getByRole('heading', { name: 'Machines' }).waitFor();
});

consoleTest('who signs out is out, also after a reload', async () => {
  const { page } = await openConsole(browser, served);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'This browser is not signed in' }).waitFor();
  await page.reload();
  await page.getByRole('heading', { name: 'This browser is not signed in' }).waitFor();
});

consoleTest('keys reach every page, and each arrival is told by title and focus', async () => {
  const { page, complaints } = await openConsole(browser, served);
  for (const [keys, title] of [
    ['g m', 'Machines'],
    ['g p', 'Panels'],
    ['g a', 'Actors'],
  ] as const) {
    for (const key of keys.split(' ')) await page.keyboard.press(key);
    await page.getByRole('heading', { level: 1, name: title }).waitFor();
    await expect.poll(() => page.title()).toBe(`${title} · Stoa console`);
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('main');
  }
  await page.goBack();
  await page.getByRole('heading', { level: 1, name: 'Panels' }).waitFor();
  expect(complaints).toEqual([]);
});

consoleTest('the list of keys opens by ? and gives the focus back', async () => {
  const { page } = await openConsole(browser, served);
  await page.keyboard.press('?');
  const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await dialog.waitFor();
  expect(await dialog.textContent()).toContain('Go to Machines');
  expect(await accessFaults(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'hidden' });
  await page.keyboard.press('?');
  await dialog.waitFor();
});

consoleTest('the first key reaches the skip link, which leads to the page', async () => {
  const { page } = await openConsole(browser, served);
  await page.keyboard.press('Tab');
  expect(await focused(page)).toBe('Skip to content');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('main');
});

consoleTest('on a phone the link of the present page is in sight', async () => {
  const { page } = await openConsole(browser, served, { path: '/console/runtime', width: 'phone' });
  const link = page.getByRole('link', { name: 'Runtime', exact: true });
  await expect.poll(async () => (await link.boundingBox())?.x).toBeLessThan(350);
  const { x = -1, width = 0 } = (await link.boundingBox()) ?? {};
  expect(x).toBeGreaterThanOrEqual(0);
  expect(x + width).toBeLessThanOrEqual(390);
});

consoleTest('a chosen theme holds over a reload; system follows the machine', async () => {
  const { page } = await openConsole(browser, served, { theme: 'dark' });
  const dark = await groundOf(page);
  await page.keyboard.press('t');
  await page.getByRole('button', { name: 'Theme: light' }).waitFor();
  const light = await groundOf(page);
  expect(light).not.toBe(dark);
  await page.reload();
  await isLive(page);
  expect(await groundOf(page)).toBe(light);
  await page.keyboard.press('t');
  await page.keyboard.press('t');
  await page.getByRole('button', { name: 'Theme: system' }).waitFor();
  expect(await groundOf(page)).toBe(dark);
});

consoleTest.each([
  ['laptop', 'light'],
  ['laptop', 'dark'],
  ['phone', 'light'],
  ['phone', 'dark'],
] as const)(
  'nobody is kept out on a %s in %s, and nothing is wider than it',
  async (width, theme) => {
    const { page, strangers } = await openConsole(browser, served, { width, theme });
    for (const path of ['actors', 'machines', 'no-such-page']) {
      await page.goto(`${served.baseUrl}/console/${path}`);
      await isLive(page);
      await page.locator('main :is(h1, .empty-title)').first().waitFor();
      expect(await accessFaults(page)).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(
        page.viewportSize()?.width,
      );
    }
    expect(strangers).toEqual([]);
  },
);

consoleTest('what is bought while the list is open comes into it, and moves in it', async () => {
  const { page, complaints } = await openConsole(browser, served, { path: '/console/actors' });
  // The controls are actors that are there from the start.
  await page.getByRole('button', { name: 'control 17' }).waitFor();
  const debate = await buyDebate(server);
  const row = page.getByRole('row').filter({ hasText: debate.jobId }).filter({ hasText: 'debate' });
  await row.filter({ hasText: 'active' }).waitFor();
  await page.getByRole('button', { name: 'payment 1' }).waitFor();
  const decided = await debate.answer();
  expect(decided.status).toBe('decided');
  await row.filter({ hasText: 'done' }).waitFor();
  await row.getByRole('link').click();
  await page.getByRole('heading', { level: 1 }).waitFor();
  expect(new URL(page.url()).pathname).toContain('/console/actor/');
  await debate.close();
  expect(complaints).toEqual([]);
});

consoleTest('nothing inline runs: the policy of the page refuses it', async () => {
  const { page } = await openConsole(browser, served);
  const ran = await page.evaluate(() => {
    const script = document.createElement('script');
    script.textContent = 'window.ran = true';
    document.body.append(script);
    return 'ran' in window;
  });
  expect(ran).toBe(false);
});

function focused(page: Page): Promise<string | undefined> {
  return page.evaluate(() => document.activeElement?.textContent?.trim());
}

function groundOf(page: Page): Promise<string> {
  return page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
}
