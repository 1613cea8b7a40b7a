import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { setup } from 'xstate';
import { define } from '../../src/runtime/engine/define.ts';
import {
  accessFaults,
  closePages,
  HAS_BROWSER,
  launchBrowser,
  openConsole,
} from '../support/browser.ts';
import { shownSeq, textOf, texts } from './actor-page.ts';
import { openStage, type Stage } from './stage.ts';

let isGateBroken = false;

/** Lets one event through, unless its guard is broken just then. */
const gate = define({
  kind: 'gate',
  version: 1,
  machine: setup({
    types: { events: {} as { type: 'PASS' } },
    guards: {
      isOpen: () => {
        if (isGateBroken) throw new Error('the gate is broken');
        return true;
      },
    },
  }).createMachine({
    id: 'gate',
    initial: 'shut',
    states: { shut: { on: { PASS: { guard: 'isOpen', target: 'passed' } } }, passed: {} },
  }),
  effects: {},
});

vi.setConfig({ testTimeout: 60_000 });
const browserTest = test.skipIf(!HAS_BROWSER);

let browser: Browser;
let stage: Stage;

beforeAll(async () => {
  if (!HAS_BROWSER) return;
  [browser, stage] = await Promise.all([
    launchBrowser(),
    openStage({ definitions: [gate], actions: ['send', 'retry', 'fork'] }),
  ]);
}, 120_000);
afterEach(() => closePages(browser));
afterAll(async () => {
  await browser?.close();
  await stage?.end();
});

const open = async (id: string, query = ''): Promise<Page> => {
  const path = `/console/actor/${id}${query}`;
  return (await openConsole(browser, stage.served, { path })).page;
};

browserTest('an actor that is not there says so', async () => {
  const page = await open('nobody');
  await page.getByText('nobody cannot be shown').waitFor();
});

browserTest('a machine without a drawing shows its active states as a list', async () => {
  await stage.engine.create('counter', 'plain');
  const page = await open('plain');
  await page.getByText('This server has no chart for machines of the kind “counter”').waitFor();
  expect(await texts(page, '.chart-missing li')).toEqual(['open']);
  expect(await accessFaults(page)).toEqual([]);
});

browserTest(
  'an actor at another version of its machine is not drawn on the wrong chart',
  async () => {
    await stage.debate('job_version');
    const { page } = await openConsole(browser, stage.served);
    await page.route('**/console/charts/debate.json', async (route) => {
      const drawn = await (await route.fetch()).json();
      await route.fulfill({ json: { ...drawn, version: 9 } });
    });
    await page.goto(`${stage.served.baseUrl}/console/actor/job_version`);
    await page
      .getByText('uses version 1 of its machine; this server has the chart of version 9')
      .waitFor();
    expect(await texts(page, '.chart-missing li')).toContain('deliberating.opening');
    expect(await page.locator('.chart-frame').count()).toBe(0);
  },
);

browserTest(
  'a test event is chosen from what is possible, confirmed, taken and journaled',
  async () => {
    await stage.engine.create('counter', 'sent');
    const page = await open('sent');
    await page.getByRole('button', { name: 'Send a test event' }).click();
    const dialog = page.getByRole('dialog', { name: 'Send a test event?' });
    expect(await dialog.getByRole('button', { name: 'Cancel' }).evaluate(isFocused)).toBe(true);
    await dialog.getByLabel('Event', { exact: true }).fill('ADD');
    await dialog.getByLabel('Other members, as JSON').fill('{"n": 5');
    await dialog.getByText(/^Not JSON/).waitFor();
    expect(await dialog.getByRole('button', { name: 'Send ADD' }).isDisabled()).toBe(true);
    await dialog.getByLabel('Other members, as JSON').fill('{"n": 5}');
    expect(await accessFaults(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Send ADD' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await expect.poll(() => shownSeq(page)).toBe(2);
    expect((await stage.engine.view('sent')).context).toEqual({ total: 5 });
    await expect
      .poll(() => page.getByRole('button', { name: 'Send a test event' }).evaluate(isFocused))
      .toBe(true);
  },
);

browserTest('nothing is sent when the question is left by Escape', async () => {
  await stage.engine.create('counter', 'unsent');
  const page = await open('unsent');
  await page.getByRole('button', { name: 'Send a test event' }).click();
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  expect((await stage.engine.view('unsent')).seq).toBe(1);
});

browserTest(
  'a fork begins at the row that is looked at and opens as an actor of its own',
  async () => {
    await stage.engine.create('counter', 'origin');
    for (const n of [1, 2, 4]) await stage.engine.tell('origin', { type: 'ADD', n });
    const page = await open('origin', '?at=2');
    await expect.poll(() => shownSeq(page)).toBe(2);
    await page.getByRole('button', { name: 'Fork from here' }).click();
    const dialog = page.getByRole('dialog', { name: 'Fork at row 2?' });
    expect(await textOf(dialog)).toContain('origin itself does not change');
    await dialog.getByRole('button', { name: 'Create fork' }).click();
    await expect.poll(() => textOf(page.locator('h1'))).not.toBe('origin');
    const forkId = await textOf(page.locator('h1'));
    expect((await stage.engine.view(forkId)).context).toEqual({ total: 1 });
    expect((await stage.engine.view('origin')).seq).toBe(4);
  },
);

browserTest('a dead letter tells why, and can be given back after a question', async () => {
  await stage.engine.create('gate', 'poisoned');
  isGateBroken = true;
  await stage.engine.tell('poisoned', { type: 'PASS' }).catch(() => undefined);
  isGateBroken = false;
  const page = await open('poisoned');
  const letters = page.locator('[data-section="dead-letters"]');
  await letters.getByText('PASS', { exact: true }).waitFor();
  expect(await textOf(letters)).toContain('the gate is broken');
  await letters.getByRole('button', { name: 'Retry' }).click();
  const dialog = page.getByRole('dialog', { name: 'Retry this event?' });
  expect(await textOf(dialog)).toContain('Delivers the unchanged event PASS to poisoned again');
  await dialog.getByRole('button', { name: 'Retry' }).click();
  await expect.poll(() => textOf(page.locator('.actor-state'))).toBe('passed');
  await letters.waitFor({ state: 'hidden' });
});

browserTest('actions that the operator has not turned on are not offered', async () => {
  const off = await openStage();
  try {
    await off.engine.create('counter', 'looked');
    const { page } = await openConsole(browser, off.served, { path: '/console/actor/looked' });
    await page.locator('.actor').waitFor();
    expect(await page.getByRole('button', { name: /Fork|Send|Retry/ }).count()).toBe(0);
  } finally {
    await off.end();
  }
});

browserTest(
  'timers count down, effects tell their attempt, and hidden values only their size',
  async () => {
    await stage.debate('job_timers');
    const page = await open('job_timers');
    const timers = page.locator('[data-section="timers"]');
    await timers
      .getByText(/in \d+ (min|s)/)
      .first()
      .waitFor();
    const before = await textOf(timers);
    await expect.poll(() => textOf(timers), { timeout: 5000 }).not.toBe(before);
    expect(await page.locator('[data-section="effects"] .line').count()).toBe(5);
    expect(await textOf(page.locator('[data-section="context"]'))).not.toContain('"hidden"');
    expect(await textOf(page.locator('.value.is-hidden').first())).toMatch(/^hidden /);
  },
);

browserTest('the chart is zoomed by keys, buttons and wheel, and moved by keys', async () => {
  const page = await open('job_timers');
  const drawing = page.locator('.chart-frame > svg');
  await drawing.waitFor();
  const width = (): Promise<number> => drawing.evaluate((svg) => svg.getBoundingClientRect().width);
  const first = await width();
  const frame = page.getByRole('region', { name: /^State chart/ });
  await frame.press('+');
  expect(await width()).toBeGreaterThan(first * 1.2);
  await page.getByRole('button', { name: 'Zoom out' }).click();
  expect(await width()).toBeCloseTo(first, -1);
  await page.getByRole('button', { name: 'Fit' }).click();
  const box = (await frame.boundingBox()) ?? { height: 0 };
  expect((await drawing.boundingBox())?.height).toBeLessThanOrEqual(box.height + 1);
  await frame.hover();
  await page.keyboard.down('Control');
  await page.mouse.wheel(0, -200);
  await page.keyboard.up('Control');
  await expect.poll(width).toBeGreaterThan(first * 0.3);
  await frame.press('0');
  await frame.evaluate((element) => element.scrollTo(0, 0));
  await frame.press('ArrowDown');
  await expect.poll(() => frame.evaluate(({ scrollTop }) => scrollTop)).toBeGreaterThan(0);
});

function isFocused(element: Element): boolean {
  return document.activeElement === element;
}
