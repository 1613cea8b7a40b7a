import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { buyDebate } from '../support/bought-debate.ts';
import {
  accessFaults,
  consoleOf,
  HAS_BROWSER,
  isLive,
  launchBrowser,
  openConsole,
} from '../support/browser.ts';
import { cleanUp, freshDataDir, type RealServer, startRealServer } from '../support/real-server.ts';

vi.setConfig({ testTimeout: 90_000 });

const consoleTest = test.skipIf(!HAS_BROWSER);
let browser: Browser;
let server: RealServer;

beforeAll(async () => {
  if (!HAS_BROWSER) return;
  const [opened, started] = await Promise.all([launchBrowser(), startRealServer(freshDataDir())]);
  browser = opened;
  server = started;
  const debate = await buyDebate(server);
  await debate.answer();
  await debate.close();
}, 120_000);

afterEach(async () => {
  for (const context of browser?.contexts() ?? []) await context.close();
});

afterAll(async () => {
  await browser?.close();
  await cleanUp();
});

consoleTest.each([
  ['phone', 'light'],
  ['laptop', 'dark'],
] as const)('the runtime page shows what has run, on a %s, %s', async (width, theme) => {
  const look = { path: '/console/runtime', width, theme } as const;
  const { page, strangers, complaints } = await openConsole(browser, consoleOf(server), look);
  await isLive(page);
  const effects = page.getByRole('region', { name: 'Effects by provider' }).getByRole('table');
  await effects.waitFor();
  const settled = effects.getByRole('row').filter({ hasText: 'payment.settle' });
  expect((await settled.locator('th,td').allTextContents()).slice(0, 4)).toEqual([
    ...['chain', 'payment.settle'],
    ...['0', '1'],
  ]);
  const store = page.getByRole('region', { name: 'Store by key family' }).getByRole('table');
  const sessions = store.getByRole('row').filter({ hasText: 'mcp/sessions' });
  expect(await sessions.getByRole('meter').getAttribute('value')).toBe('0.00005');
  const index = store.getByRole('row').filter({ hasText: 'actors/index' });
  const [rows, ...cells] = await index.locator('td').allTextContents();
  expect(Number(rows)).toBeGreaterThanOrEqual(2);
  expect(cells.slice(0, 3)).toEqual(['4 KiB', 'n/a', 'one per actor']);
  const drawn = await page.locator('.plot canvas').count();
  expect(drawn).toBe(8);
  const isWider = await page.evaluate(
    () => document.documentElement.scrollWidth > document.documentElement.clientWidth,
  );
  expect(isWider).toBe(false);
  expect(await accessFaults(page)).toEqual([]);
  expect([...strangers, ...complaints]).toEqual([]);
});

consoleTest(
  'the history of before the page was opened is there, and grows each second',
  async () => {
    const { page } = await openConsole(browser, consoleOf(server), { path: '/console/runtime' });
    const plot = page.getByRole('region', { name: 'Events per second' });
    const times = plot.getByRole('slider');
    const last = async () => Number(await times.getAttribute('aria-valuemax'));
    await times.waitFor();
    const first = await last();
    expect(first).toBeGreaterThan(0);
    await expect.poll(last, { timeout: 10_000 }).toBeGreaterThan(first + 1);
    // Its debate has been before anybody looked.
    await plot.getByRole('button', { name: 'Table' }).click();
    const rates = plot.getByRole('table').locator('tbody tr td:nth-child(2)');
    expect((await rates.allTextContents()).some((rate) => Number(rate) > 5)).toBe(true);
  },
);

consoleTest('keys choose a time, whose values are told', async () => {
  const { page } = await openConsole(browser, consoleOf(server), { path: '/console/runtime' });
  const times = page.getByRole('region', { name: 'Memory' }).getByRole('slider');
  await times.focus();
  const now = (): Promise<string | null> => times.getAttribute('aria-valuenow');
  await page.keyboard.press('Home');
  await expect.poll(now).toBe('0');
  expect(await times.getAttribute('aria-valuetext')).toMatch(
    /^\d\d:\d\d:\d\d: process [\d.,]+ MiB, heap [\d.,]+ MiB$/,
  );
  await page.keyboard.press('ArrowRight');
  await expect.poll(now).toBe('1');
  // A reading may come in between the key and the look.
  const toNewest = async (): Promise<number> => {
    await page.keyboard.press('End');
    return Number(await times.getAttribute('aria-valuemax')) - Number(await now());
  };
  await expect.poll(toNewest).toBe(0);
});

consoleTest('lines take the colours of the theme when it changes', async () => {
  const look = { path: '/console/runtime', theme: 'light' } as const;
  const { page } = await openConsole(browser, consoleOf(server), look);
  const canvas = page.locator('.plot canvas').first();
  await canvas.waitFor();
  // Any dot of the first line, at the foot of the drawing or above.
  const colours = () =>
    canvas.evaluate((element: HTMLCanvasElement) => {
      const context = element.getContext('2d');
      const { data } = context?.getImageData(0, 0, element.width, element.height) ?? { data: [] };
      const seen = new Set<string>();
      for (let at = 0; at < data.length; at += 4) {
        if (data[at + 3] === 255) seen.add([data[at], data[at + 1], data[at + 2]].join(','));
      }
      return [...seen];
    });
  const [light, dark] = ['18,85,143', '134,191,242'];
  await expect.poll(colours).toContain(light);
  await page.emulateMedia({ colorScheme: 'dark' });
  await expect.poll(colours).toContain(dark);
  expect(await colours()).not.toContain(light);
});
