import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { MACHINES } from '../../src/machines/common/registry.ts';
import { closePages, HAS_BROWSER, isLive, launchBrowser, openConsole } from '../support/browser.ts';
import { openStage, type Stage } from './stage.ts';

/** Smallest text of a chart at first sight, in CSS pixels. */
const FONT_MIN_PX = 11;
/** How far two boxes may reach into each other by rounding, in CSS pixels. */
const TOUCH_PX = 0.5;

interface Label {
  readonly text: string;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
  readonly fontPx: number;
}

vi.setConfig({ testTimeout: 120_000 });
const browserTest = test.skipIf(!HAS_BROWSER);

let browser: Browser;
let stage: Stage;

beforeAll(async () => {
  if (!HAS_BROWSER) return;
  [browser, stage] = await Promise.all([launchBrowser(), openStage()]);
}, 120_000);
afterEach(() => closePages(browser));
afterAll(async () => {
  await browser?.close();
  await stage?.end();
});

browserTest.each(['laptop', 'phone'] as const)(
  'no two labels of a machine overlap on a %s, and all can be read',
  async (width) => {
    const { page } = await openConsole(browser, stage.served, { width });
    for (const { kind } of MACHINES) {
      await page.goto(`${stage.served.baseUrl}/console/machines/${kind}`);
      await isLive(page);
      const labels = await labelsOf(page);
      expect(labels.length, kind).toBeGreaterThan(4);
      const small = labels.filter(({ fontPx }) => fontPx < FONT_MIN_PX);
      expect(small, kind).toEqual([]);
      expect(overlaps(labels), kind).toEqual([]);
    }
  },
);

browserTest('of a drawing that is not ours only its harmless parts reach the page', async () => {
  await stage.debate('job_hostile');
  const { page, strangers } = await openConsole(browser, stage.served);
  await page.route('**/console/charts/debate.wide.svg', (route) =>
    route.fulfill({ contentType: 'image/svg+xml', body: HOSTILE }),
  );
  await page.goto(`${stage.served.baseUrl}/console/actor/job_hostile`);
  await page.locator('.chart-frame > svg [data-state="deliberating"]').waitFor();
  const names = await page
    .locator('.chart-frame svg, .chart-frame svg *')
    .evaluateAll((parts) => parts.map(({ localName }) => localName));
  expect([...new Set(names)].sort()).toEqual(['g', 'rect', 'svg', 'text']);
  const members = await page
    .locator('.chart-frame svg *')
    .evaluateAll((parts) => parts.flatMap((part) => part.getAttributeNames()));
  expect(members.filter((name) => /^on|href|style|src/.test(name))).toEqual([]);
  expect(await page.evaluate(() => 'injected' in window)).toBe(false);
  expect(strangers).toEqual([]);
});

const HOSTILE = `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"
  viewBox="0 0 400 300" onload="window.injected=1"><script>window.injected=1</script>
  <style>@import "http://injected.invalid/x.css";</style>
  <g data-state="deliberating" onclick="window.injected=1" style="fill:red">
    <rect width="10" height="10" fill="url(http://injected.invalid/x#y)"/><text>deliberating</text>
    <a xlink:href="javascript:window.injected=1"><text>link</text></a>
    <foreignObject><iframe xmlns="http://www.w3.org/1999/xhtml" src="javascript:1"/></foreignObject>
    <use xlink:href="http://injected.invalid/x.svg#y"/><image href="http://injected.invalid/x.png"/>
    <animate attributeName="x" onbegin="window.injected=1" dur="1s"/><set attributeName="y"/>
  </g></svg>`;

/** All texts of the chart as the browser has drawn them. */
async function labelsOf(page: Page): Promise<readonly Label[]> {
  await page.locator('.chart-frame > svg').waitFor();
  await page.evaluate(() => document.fonts.ready);
  return page.locator('.chart-frame > svg text').evaluateAll((parts) =>
    parts.map((part) => {
      const { left, right, top, bottom } = part.getBoundingClientRect();
      const svg = part.closest('svg');
      const scale = svg?.getScreenCTM()?.a ?? 0;
      const fontPx = Number.parseFloat(getComputedStyle(part).fontSize) * scale;
      return { text: part.textContent ?? '', left, right, top, bottom, fontPx };
    }),
  );
}

function overlaps(labels: readonly Label[]): readonly string[] {
  return labels.flatMap((one, index) =>
    labels.slice(index + 1).flatMap((other) => {
      const width = Math.min(one.right, other.right) - Math.max(one.left, other.left);
      const height = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
      return width > TOUCH_PX && height > TOUCH_PX ? [`${one.text} × ${other.text}`] : [];
    }),
  );
}
