import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { assign, fromPromise, setup } from 'xstate';
import type { OpenedInspector } from '../../../src/process/inspect/inspector-types.ts';
import { openInspector } from '../../../src/process/inspect/open-inspector.ts';
import { durable } from '../../../src/store/durable/durable.ts';
import { textOf, texts } from '../../console/actor-page.ts';
import {
  accessFaults,
  closePages,
  HAS_BROWSER,
  isLive,
  type Look,
  launchBrowser,
  openPage,
} from '../../support/browser.ts';
import { built } from '../../support/built.ts';

const book = fromPromise<string, string>(async ({ input }) => `parcel with a ${input}`);
const machine = setup({
  types: {} as {
    context: { item: string; card: string; parcel: string };
    input: { item: string; card: string };
    events: { type: 'PAY' } | { type: 'CANCEL' } | { type: 'RETURN'; days: number };
  },
  actors: { book },
}).createMachine({
  id: 'order',
  context: ({ input }) => ({ ...input, parcel: '' }),
  initial: 'open',
  states: {
    open: { on: { PAY: 'booking', CANCEL: 'over' }, after: { 3600000: 'over' } },
    booking: {
      invoke: {
        src: 'book',
        input: ({ context }) => context.item,
        onDone: { target: 'shipped', actions: assign({ parcel: ({ event }) => event.output }) },
      },
    },
    shipped: {
      on: {
        RETURN: {
          target: 'over',
          guard: ({ event }) => {
            if (event.days < 0) throw new RangeError(`a parcel cannot age ${event.days} days`);
            return true;
          },
        },
      },
    },
    over: { type: 'final' },
  },
});

let browser: Browser;
let opened: OpenedInspector;
let close: () => Promise<void>;
let start: (id: string) => Promise<unknown>;
let clocks = 0;

beforeAll(async () => {
  if (!HAS_BROWSER) return;
  await built();
  browser = await launchBrowser();
  const app = await durable({ actors: { order: machine } });
  close = () => app.close();
  const lamp = await app.order.start('lamp', { item: 'lamp', card: '4242 4242 4242 4242' });
  start = (id) => app.order.start(id, { item: 'clock', card: '5555 5555 5555 4444' });
  await lamp.send({ type: 'PAY' });
  await lamp.waitFor(({ value }) => value === 'shipped');
  await lamp.send({ type: 'RETURN', days: -1 }).catch(() => undefined);
  opened = await openInspector(app, { redact: ['**.card'] });
});
afterEach(() => closePages(browser));
afterAll(async () => {
  await browser?.close();
  await close?.();
});

async function show(path: string, look: Look = {}): Promise<Page> {
  const { origin, hash } = new URL(opened.url);
  const { page, strangers, complaints } = await openPage(
    browser,
    { baseUrl: origin, token: opened.token },
    look,
  );
  await page.goto(`${origin}/console/${path}${hash}`);
  await isLive(page);
  expect({ strangers, complaints }).toEqual({ strangers: [], complaints: [] });
  return page;
}

describe.skipIf(!HAS_BROWSER)('the inspector of a foreign program', () => {
  test('its link shows the actors, and only pages that a program has', async () => {
    const page = await show('');
    await page.locator('a', { hasText: 'lamp' }).waitFor();
    expect(await texts(page, '.navigation a')).toEqual([
      'Actors',
      'Dead letters',
      'Machines',
      'Runtime',
    ]);
    expect(await page.title()).toBe('Actors · Stoa inspector');
  });

  test('an actor: live chart, journal, time travel, hidden values, an event, a fork', async () => {
    // A second try needs an order that is open.
    clocks += 1;
    const clock = `clock-${clocks}`;
    await start(clock);
    const page = await show(`actor/${clock}`);
    const active = page.locator('.is-active');
    await active.filter({ hasText: 'open' }).first().waitFor();
    const shown = await page.locator('main').textContent();
    expect(shown).toContain('after 1 h');
    expect(shown).toContain('hidden text, 19 characters');
    expect(shown).not.toContain('5555');
    await page.getByRole('button', { name: 'Send an event …' }).click();
    await page.locator('#send-type').fill('PAY');
    await page.getByRole('button', { name: 'Send PAY' }).click();
    await active.filter({ hasText: 'shipped' }).first().waitFor();
    await page.getByRole('button', { name: 'First row' }).click();
    await page.locator('.actor[data-shown-seq="1"]').waitFor();
    await active.filter({ hasText: 'open' }).first().waitFor();
    await page.getByRole('button', { name: 'Fork from here …' }).click();
    await page.getByRole('button', { name: 'Create fork' }).click();
    await expect.poll(() => textOf(page.locator('h1'))).toMatch(/^clock-\d+\/fork-\d+$/);
  });
});

describe.skipIf(!HAS_BROWSER)('the inspector of a foreign program, further', () => {
  test('a dead letter names its actor and can be retried', async () => {
    const page = await show('dead-letters');
    await page.getByText('a parcel cannot age -1 days').waitFor();
    await page.getByRole('button', { name: 'Retry …' }).click();
    await page.getByRole('button', { name: 'Retry', exact: true }).click();
    await page.getByRole('dialog').getByText('a parcel cannot age -1 days').waitFor();
  });

  test('without the link, the page says where it is', async () => {
    const { origin } = new URL(opened.url);
    const { page } = await openPage(browser, { baseUrl: origin, token: '' });
    await page.goto(`${origin}/console/`);
    await page.getByText('The link is the url that openInspector returned.').waitFor();
  });

  test.each([
    ['phone', 'dark'],
    ['laptop', 'light'],
  ] as const)('every page on a %s, %s, keeps nobody out', async (width, theme) => {
    for (const path of [
      '',
      'actor/lamp',
      'dead-letters',
      'machines',
      'machines/order',
      'runtime',
    ]) {
      const page = await show(path, { width, theme });
      await page.locator('h1').waitFor();
      expect(await accessFaults(page), path).toEqual([]);
      const tooWide = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
      expect(tooWide, path).toBeLessThanOrEqual(0);
      await page.context().close();
    }
  });
});
