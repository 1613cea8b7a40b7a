import { setTimeout as pause } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
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
import { shownSeq, textOf, texts } from './actor-page.ts';

vi.setConfig({ testTimeout: 90_000 });
/** How many times slower the browser runs its scripts: as on a machine that does much else. */
const BUSY_RATE = 10;

const browserTest = test.skipIf(!HAS_BROWSER);

let browser: Browser;
let server: RealServer;
let served: ConsoleServer;
let bought: BoughtDebate;
let path: string;

beforeAll(async () => {
  if (!HAS_BROWSER) return;
  [browser, server] = await Promise.all([launchBrowser(), startRealServer(freshDataDir())]);
  served = consoleOf(server);
  bought = await buyDebate(server);
  await bought.answer(3);
  path = `/console/actor/${bought.jobId}`;
}, 120_000);
afterEach(() => closePages(browser));
afterAll(async () => {
  await bought?.close();
  await browser?.close();
  await cleanUp();
});

const open = async (query = ''): Promise<Page> =>
  (await openConsole(browser, served, { path: `${path}${query}` })).page;

browserTest('a late joiner sees the current state at once, on the chart and in words', async () => {
  const page = await open();
  await page.locator('[data-state="deliberating.opening"].is-active').waitFor();
  expect(await textOf(page.locator('.actor-state'))).toBe('deliberating.opening');
  expect(await texts(page, '[data-section="possible"] code')).toContain('CANCEL');
  expect(await texts(page, '[data-section="timers"] code')).toHaveLength(2);
  expect(await page.getByRole('region', { name: /State chart of debate/ }).count()).toBe(1);
});

browserTest(
  'new rows come in live, and while the page is away they are counted without moving it',
  async () => {
    const page = await open();
    await page.getByRole('button', { name: 'First row' }).click();
    await expect.poll(() => shownSeq(page)).toBe(1);
    const before = await page.locator('.rows').evaluate(({ scrollTop }) => scrollTop);
    await bought.answer();
    const live = page.getByRole('button', { name: /Go live, \d+ new rows?/ });
    await live.waitFor();
    expect(await shownSeq(page)).toBe(1);
    expect(await page.locator('.rows').evaluate(({ scrollTop }) => scrollTop)).toBe(before);
    await live.click();
    await page.locator('[data-state="decided"].is-active').waitFor();
    await expect.poll(() => textOf(page.locator('.actor-state'))).toBe('decided');
  },
);

browserTest(
  'the chart follows each step, and the point is the one that the journal tells',
  async () => {
    await bought.answer();
    const page = await open('?at=1');
    await page.locator('[data-state="deliberating.opening"].is-active').waitFor();
    const last = Number(await page.getByLabel('Row of the journal').getAttribute('max'));
    const seen = new Set<string>();
    for (let seq = 2; seq <= last; seq += 1) {
      await page.keyboard.press('.');
      await expect.poll(() => shownSeq(page)).toBe(seq);
      const lit = await page
        .locator('[data-state].is-active')
        .evaluateAll((parts) => parts.map((part) => part.getAttribute('data-state') ?? ''));
      const state = await textOf(page.locator('.actor-state'));
      expect(lit).toContain(state);
      seen.add(state);
      expect(await page.locator('[data-transition].is-taken').count()).toBeGreaterThan(0);
    }
    expect([...seen]).toContain('decided');
    await page.keyboard.press(',');
    await expect.poll(() => shownSeq(page)).toBe(last - 1);
    await page.getByLabel('Row of the journal').press('Home');
    await expect.poll(() => shownSeq(page)).toBe(1);
  },
);

browserTest(
  'the difference of the context between two rows names what was added and changed',
  async () => {
    const page = await open('?at=1');
    await expect.poll(() => shownSeq(page)).toBe(1);
    await page.getByRole('button', { name: 'Compare from here' }).click();
    await page.keyboard.press('.');
    await expect.poll(() => shownSeq(page)).toBe(2);
    await page.getByRole('button', { name: 'Compare to here' }).click();
    await page.getByRole('heading', { name: 'Context, row 1 (A) to row 2 (B)' }).waitFor();
    // The first turn came in: one more turn, one less pending.
    const line = (name: string) => page.locator(`.difference-one[data-path="${name}"]`);
    await line('turns[0]').waitFor();
    expect(await line('turns[0]').getAttribute('class')).toContain('is-added');
    expect(await page.locator('.difference-one.is-removed').count()).toBe(1);
    expect(await accessFaults(page)).toEqual([]);
  },
);

browserTest(
  'the active state is kept in sight, and a reader who scrolled away is left there',
  async () => {
    const page = await open('?at=1');
    const frame = page.locator('.chart-frame');
    await page.locator('[data-state="deliberating.opening"].is-active').waitFor();
    expect(await isInside(page, 'deliberating.opening')).toBe(true);
    expect(await isInside(page, 'decided')).toBe(false);
    await page.keyboard.press('l');
    await page.locator('[data-state="decided"].is-active').waitFor();
    await expect.poll(() => isInside(page, 'decided')).toBe(true);

    await frame.evaluate((element) => element.scrollTo({ top: 0, behavior: 'instant' }));
    await page.keyboard.press(',');
    await page.locator('[data-state="sealing"].is-active').waitFor();
    await page.keyboard.press('l');
    await page.locator('[data-state="decided"].is-active').waitFor();
    expect(await frame.evaluate(({ scrollTop }) => scrollTop)).toBe(0);
    await page.getByRole('button', { name: 'Show the active state' }).click();
    expect(await isInside(page, 'decided')).toBe(true);
  },
);

/** Whether a state lies wholly within the frame of the chart. */
function isInside(page: Page, state: string): Promise<boolean> {
  return page.locator(`.chart-frame [data-state="${state}"]`).evaluate((part) => {
    const box = part.getBoundingClientRect();
    const around = part.closest('.chart-frame')?.getBoundingClientRect();
    return around !== undefined && box.top >= around.top && box.bottom <= around.bottom;
  });
}

browserTest('a busy page keeps the row of its address, and takes no step back', async () => {
  const page = await open();
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: BUSY_RATE });
  for (let round = 0; round < 4; round += 1) {
    await page.goto(`${served.baseUrl}${path}?at=1`);
    await expect.poll(() => shownSeq(page)).toBe(1);
    for (let step = 0; step < 3; step += 1) {
      await page.keyboard.press('.');
      await pause(280);
    }
    await expect.poll(() => shownSeq(page)).toBe(4);
    // The address follows 300 ms later, and a page that follows it back would move again.
    await pause(700);
    expect(await shownSeq(page)).toBe(4);
  }
});

browserTest('a link to a row restores the row, and the address follows the row', async () => {
  const page = await open('?at=3');
  await expect.poll(() => shownSeq(page)).toBe(3);
  await page.getByRole('button', { name: 'Go live', exact: true }).waitFor();
  await page.keyboard.press('.');
  await expect.poll(() => new URL(page.url()).search).toBe('?at=4');
  await page.reload();
  await expect.poll(() => shownSeq(page)).toBe(4);
  await page.keyboard.press('l');
  await expect.poll(() => new URL(page.url()).search).toBe('');
});

browserTest('a replay walks from the first row to the newest', async () => {
  const page = await open('?at=1');
  await expect.poll(() => shownSeq(page)).toBe(1);
  await page.getByLabel('Replay speed').selectOption('16');
  await page.getByRole('button', { name: 'Replay' }).click();
  const last = Number(await page.getByLabel('Row of the journal').getAttribute('max'));
  await expect.poll(() => shownSeq(page), { timeout: 20_000 }).toBe(last);
  await page.getByRole('button', { name: 'Replay' }).waitFor();
});

browserTest('a filter lists only rows of its kind', async () => {
  const page = await open();
  await page.getByLabel('Cause of the row').selectOption('effect');
  await page.locator('.journal .quiet').getByText(/ of /).waitFor();
  const causes = await texts(page, '.row-cause');
  expect(causes.length).toBeGreaterThan(0);
  expect(causes.filter((words) => !words.startsWith('effect'))).toEqual([]);
});

browserTest.each(['laptop', 'phone'] as const)('nobody is kept out on a %s', async (width) => {
  for (const theme of ['light', 'dark'] as const) {
    const { page, strangers } = await openConsole(browser, served, { path, width, theme });
    await page.locator('[data-state].is-active').first().waitFor();
    expect(await accessFaults(page)).toEqual([]);
    expect(strangers).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(
      page.viewportSize()?.width,
    );
  }
});
