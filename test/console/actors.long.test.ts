import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import type { ActorRow, ActorsFrame } from '../../src/domain/inspect/wire.ts';
import {
  accessFaults,
  type ConsolePage,
  HAS_BROWSER,
  type Look,
  launchBrowser,
  openConsole,
} from '../support/browser.ts';
import { built } from '../support/built.ts';
import { type ConsoleRig, startConsole } from '../support/console-rig.ts';
import { TOKEN } from '../support/front-rig.ts';

vi.setConfig({ testTimeout: 60_000 });

const consoleTest = test.skipIf(!HAS_BROWSER);
const FRAME_ROWS = 2000;
/** Rounds of which the median is taken. */
const ROUNDS = 31;
let browser: Browser;
let rig: ConsoleRig;

beforeAll(async () => {
  if (!HAS_BROWSER) return;
  rig = await startConsole('node', {}, { folder: join(await built(), 'web') });
  browser = await launchBrowser();
}, 120_000);

afterAll(async () => {
  await browser?.close();
  await rig?.front.close();
});

afterEach(async () => {
  for (const context of browser?.contexts() ?? []) await context.close();
});

function actor(number: number): ActorRow {
  const isJob = number % 2 === 0;
  return {
    id: `${isJob ? 'job' : 'payment'}:${String(number).padStart(6, '0')}`,
    kind: isJob ? 'job' : 'payment',
    state: number % 3 === 0 ? 'waiting' : 'working.hard',
    status: number % 5 === 0 ? 'done' : 'active',
    seq: number % 7,
    createdAt: number,
    at: number,
    lastEvent: 'GO',
  };
}

function actors(count: number): readonly ActorRow[] {
  return Array.from({ length: count }, (_, number) => actor(number));
}

/** Opens the list and shows it these actors, in frames as the directory sends them. */
async function openActors(
  rows: readonly ActorRow[],
  look: Look & { readonly path?: string } = {},
): Promise<ConsolePage & { push(change: Partial<ActorsFrame>): void }> {
  const { subscriptions } = rig.inspector;
  const before = subscriptions.length;
  const served = { baseUrl: rig.baseUrl, token: TOKEN };
  const opened = await openConsole(browser, served, { path: '/console/actors', ...look });
  // Live comes first; the page asks for its rows when its own file is there.
  await expect.poll(() => subscriptions.length).toBe(before + 1);
  const push = (change: Partial<ActorsFrame>): void => {
    const seen = subscriptions.at(before);
    const frame: ActorsFrame = {
      topic: 'actors',
      isFirst: false,
      isWhole: true,
      rows: [],
      gone: [],
      counts: countsOf(rows),
      rowsMax: 100_000,
      ...change,
    };
    seen?.sink.push({ kind: 'frame', frame });
  };
  for (let from = 0; from === 0 || from < rows.length; from += FRAME_ROWS) {
    const isWhole = from + FRAME_ROWS >= rows.length;
    push({ isFirst: from === 0, isWhole, rows: rows.slice(from, from + FRAME_ROWS) });
  }
  return { ...opened, push };
}

function countsOf(rows: readonly ActorRow[]): ActorsFrame['counts'] {
  const counts = new Map<string, number>();
  for (const { kind, state } of rows) {
    counts.set(`${kind} ${state}`, (counts.get(`${kind} ${state}`) ?? 0) + 1);
  }
  return [...counts].map(([name, count]) => {
    const [kind = '', state = ''] = name.split(' ');
    return { kind, state, count };
  });
}

function listed(page: Page, count: number): Promise<void> {
  return page.locator(`[data-listed="${count}"]`).waitFor();
}

function rowsInPage(page: Page): Promise<number> {
  return page.locator('.actor-rows [role=row]').count();
}

consoleTest.each([10_000, 100_000])(
  'of %i actors only those in sight are in the page',
  async (count) => {
    const { page, complaints } = await openActors(actors(count));
    await listed(page, count);
    expect(await rowsInPage(page)).toBeLessThan(60);
    expect(await page.getByRole('grid').getAttribute('aria-rowcount')).toBe(String(count + 1));
    await page.keyboard.press('j');
    await page.keyboard.press('End');
    const last = page.getByRole('row', { selected: true });
    await last.filter({ hasText: 'job:000000' }).waitFor();
    expect(await last.getAttribute('aria-rowindex')).toBe(String(count + 1));
    expect(await rowsInPage(page)).toBeLessThan(60);
    expect(complaints).toEqual([]);
  },
  60_000,
);

consoleTest('filters, search and order find actors, and an address restores them', async () => {
  const { page } = await openActors(actors(300));
  await page.getByRole('button', { name: 'job 150' }).click();
  await listed(page, 150);
  await page.getByRole('button', { name: 'done 60' }).click();
  await listed(page, 30);
  await page.keyboard.press('/');
  await page.keyboard.type('WAITING');
  await listed(page, 10);
  await page.getByRole('button', { name: 'Actor', exact: true }).click();
  const first = page.locator('.actor-rows [role=row]').first();
  await expect.poll(() => first.textContent()).toContain('job:000000');
  const { search } = new URL(page.url());
  expect(search).toBe('?kind=job&status=done&q=WAITING&sort=id');
  const again = await openActors(actors(300), { path: `/console/actors${search}` });
  await listed(again.page, 10);
  await again.page.getByLabel(/^Search/).fill('nothing fits this');
  await again.page.getByRole('button', { name: 'Clear the filters' }).click();
  await listed(again.page, 300);
});

consoleTest('rows change in place while somebody is at them, and move when asked', async () => {
  const { page, push } = await openActors(actors(50));
  await listed(page, 50);
  const first = page.locator('.actor-rows [role=row]').first();
  await page.keyboard.press('j');
  push({ rows: [{ ...actor(3), seq: 90, at: 900, state: 'moved' }, actor(77)] });
  const button = page.getByRole('button', { name: '1 new, 1 updated: sort now' });
  await button.waitFor();
  // Longer than the list waits before it puts itself in order.
  await page.waitForTimeout(1300);
  expect(await first.textContent()).toContain('payment:000049');
  await button.click();
  await expect.poll(() => first.textContent()).toContain('payment:000003');
  await listed(page, 51);
});

consoleTest('a list that nobody is at puts itself in order', async () => {
  const { page, push } = await openActors(actors(50));
  await listed(page, 50);
  push({ rows: [{ ...actor(3), seq: 90, at: 900 }], gone: ['job:000048'] });
  const first = page.locator('.actor-rows [role=row]').first();
  await expect.poll(() => first.textContent(), { timeout: 5000 }).toContain('payment:000003');
  await listed(page, 49);
});

consoleTest('the chosen row stays chosen when others come before it', async () => {
  const { page, push } = await openActors(actors(50));
  await listed(page, 50);
  for (const key of ['j', 'ArrowDown', 'j', 'k']) await page.keyboard.press(key);
  const chosen = page.getByRole('row', { selected: true });
  expect(await chosen.textContent()).toContain('job:000048');
  push({ rows: [actor(90), actor(91)] });
  await page.getByRole('button', { name: /sort now/ }).click();
  await expect.poll(() => chosen.getAttribute('aria-rowindex')).toBe('5');
  expect(await chosen.textContent()).toContain('job:000048');
  const active = await page.getByRole('grid').getAttribute('aria-activedescendant');
  expect(active).toBe(await chosen.getAttribute('id'));
  await page.keyboard.press('k');
  await page.keyboard.press('Enter');
  await expect.poll(() => new URL(page.url()).pathname).toBe('/console/actor/payment%3A000049');
});

consoleTest('without actors the list says how one begins', async () => {
  const { page } = await openActors([]);
  await page.getByText('No actors yet').waitFor();
});

consoleTest.each([
  ['laptop', 'light'],
  ['laptop', 'dark'],
  ['phone', 'light'],
  ['phone', 'dark'],
] as const)('nobody is kept out of a full list on a %s in %s', async (width, theme) => {
  const { page } = await openActors(actors(300), { width, theme });
  await listed(page, 300);
  if (width === 'phone') await page.getByText('Filters').click();
  await page.locator('.facet-choice').first().click();
  await listed(page, 150);
  expect(await accessFaults(page)).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(
    page.viewportSize()?.width,
  );
});

consoleTest(
  'filtering 10,000 actors costs at most twice what 100 cost',
  async () => {
    const costs = new Map<number, number>();
    for (const count of [100, 10_000]) {
      const { page } = await openActors(actors(count));
      await listed(page, count);
      costs.set(count, await page.evaluate(filterCostMs, ROUNDS));
      await page.close();
    }
    const [few = 0, many = 0] = [costs.get(100), costs.get(10_000)];
    process.stderr.write(`filter: ${few.toFixed(2)} ms of 100, ${many.toFixed(2)} ms of 10,000\n`);
    expect(many).toBeLessThanOrEqual(2 * few);
  },
  60_000,
);

/** Runs in the page: the median time from a press on a filter until its rows are laid out. */
async function filterCostMs(rounds: number): Promise<number> {
  const task = (): Promise<void> =>
    new Promise((done) => {
      const channel = new MessageChannel();
      channel.port1.onmessage = () => done();
      channel.port2.postMessage(null);
    });
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const choices = document.querySelectorAll<HTMLElement>('.facet-choice');
    const choice = choices[round % 2];
    if (choice === undefined) throw new Error('there is no filter');
    const before = document.querySelector('[data-listed]')?.textContent;
    const first = document.querySelector('.actor-rows [role=row]')?.textContent;
    const begun = performance.now();
    choice.click();
    await task();
    document.body.getBoundingClientRect();
    times.push(performance.now() - begun);
    const isSame = document.querySelector('[data-listed]')?.textContent === before;
    if (isSame && document.querySelector('.actor-rows [role=row]')?.textContent === first) {
      throw new Error('the filter changed nothing');
    }
    await new Promise(requestAnimationFrame);
  }
  times.sort((left, right) => left - right);
  return times[Math.floor(times.length / 2)] ?? 0;
}
