import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { type BoughtDebate, buyDebate } from '../support/bought-debate.ts';
import {
  accessFaults,
  type ConsoleServer,
  closePages,
  consoleOf,
  HAS_BROWSER,
  launchBrowser,
  openConsole,
} from '../support/browser.ts';
import { cleanUp, freshDataDir, type RealServer, startRealServer } from '../support/real-server.ts';
import { textOf, texts } from './actor-page.ts';

const OPTIONS = ['an embedded log', 'a broker of its own', 'the database that is there'];

vi.setConfig({ testTimeout: 90_000 });
const browserTest = test.skipIf(!HAS_BROWSER);

let browser: Browser;
let server: RealServer;
let served: ConsoleServer;
let bought: BoughtDebate;

beforeAll(async () => {
  if (!HAS_BROWSER) return;
  [browser, server] = await Promise.all([launchBrowser(), startRealServer(freshDataDir())]);
  served = consoleOf(server);
}, 120_000);
afterEach(() => closePages(browser));
afterAll(async () => {
  await bought?.close();
  await browser?.close();
  await cleanUp();
});

browserTest(
  'a panel shows up in the list as it is bought, and is followed live to its decision',
  async () => {
    const { page, strangers, complaints } = await openConsole(browser, served, {
      path: '/console/panels',
    });
    await page.getByText('No panels yet').waitFor();
    bought = await buyDebate(server);
    await page.getByRole('link', { name: 'Which queue should the new service use?' }).click();

    await page.getByRole('heading', { name: 'Which queue should the new service use?' }).waitFor();
    expect((await texts(page, '.options li')).map((text) => text.replace(/^\d\s+/, ''))).toEqual(
      OPTIONS,
    );
    await expect.poll(() => texts(page, '.seat-state')).toEqual(Array(5).fill('speaking'));
    expect(await textOf(page.locator('[aria-current="step"]'))).toContain('opening');
    await page.getByText(/deadline in/).waitFor();

    await bought.answer(2);
    await expect.poll(() => page.locator('[data-turn^="opening/"]').count()).toBe(2);
    expect(await texts(page, '.turn-text')).toContain(
      'It keeps what works and extracts the one part that changes most.',
    );
    expect((await texts(page, '.seat-state')).filter((state) => state === 'spoken')).toHaveLength(
      2,
    );

    const ended = await bought.answer();
    expect(ended.status).toBe('decided');
    await page.locator('.decision-option').waitFor();
    expect(await textOf(page.locator('.decision-option'))).toBe(ended.result?.winner?.name);
    expect(await page.locator('.ballots > li').count()).toBe(5);
    expect(await texts(page, '.tally-option')).toHaveLength(OPTIONS.length);
    await page.goto(`${served.baseUrl}/console/panels`);
    await page.locator('.listed-decision').waitFor();
    expect(await textOf(page.locator('.listed-decision'))).toBe(
      `Decision: ${ended.result?.winner?.name}`,
    );
    expect(await accessFaults(page)).toEqual([]);
    expect(strangers).toEqual([]);
    expect(complaints).toEqual([]);
  },
);

browserTest('a panel that has ended can be read, on a phone and by everybody', async () => {
  for (const width of ['laptop', 'phone'] as const) {
    for (const theme of ['light', 'dark'] as const) {
      const path = `/console/panel/${bought.jobId}`;
      const { page } = await openConsole(browser, served, { path, width, theme });
      await page.locator('.decision-option').waitFor();
      expect(await page.locator('.turn').count()).toBeGreaterThanOrEqual(5);
      expect(await accessFaults(page)).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(
        page.viewportSize()?.width,
      );
    }
  }
});

browserTest('an actor that is no panel says so', async () => {
  const { page } = await openConsole(browser, served, { path: '/console/panel/pay_nobody' });
  await page.getByText('The panel pay_nobody cannot be shown').waitFor();
});
