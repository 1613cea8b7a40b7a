import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import type { CoverageReport } from '../../src/domain/inspect/coverage.ts';
import type { MachineGraph } from '../../src/domain/inspect/graph.ts';
import { MACHINES } from '../../src/machines/common/registry.ts';
import {
  accessFaults,
  type ConsoleServer,
  HAS_BROWSER,
  launchBrowser,
  openConsole,
} from '../support/browser.ts';
import { built } from '../support/built.ts';
import { type ConsoleRig, startConsole } from '../support/console-rig.ts';
import { TOKEN } from '../support/front-rig.ts';

vi.setConfig({ testTimeout: 60_000 });

const consoleTest = test.skipIf(!HAS_BROWSER);
let browser: Browser;
let rig: ConsoleRig;
let served: ConsoleServer;
let files: string;
/** The built page. */
let folder: string;

beforeAll(async () => {
  files = mkdtempSync(join(tmpdir(), 'stoa-machines-'));
  if (!HAS_BROWSER) return;
  folder = join(await built(), 'web');
  rig = await startConsole('node', {}, { folder });
  served = { baseUrl: rig.baseUrl, token: TOKEN };
  browser = await launchBrowser();
}, 120_000);

afterEach(async () => {
  for (const context of browser?.contexts() ?? []) await context.close();
});

afterAll(async () => {
  await browser?.close();
  await rig?.front.close();
  rmSync(files, { recursive: true, force: true });
});

function graphOf(kind: string): MachineGraph {
  return JSON.parse(readFileSync(join(folder, 'charts', `${kind}.json`), 'utf8'));
}

/** A report in which everything was walked but one state and one transition. */
function reportOf(kind: string): CoverageReport {
  const { version, states, transitions } = graphOf(kind);
  return {
    kind,
    version,
    title: 'covering paths',
    at: 0,
    paths: 12,
    states: Object.fromEntries(states.map(({ id }, index) => [id, index === 2 ? 0 : 3])),
    transitions: Object.fromEntries(transitions.map(({ id }, index) => [id, index === 0 ? 0 : 2])),
  };
}

function marked(page: Page, mark: string): Promise<number> {
  return page.locator(`.chart-frame .${mark}`).count();
}

consoleTest('the gallery has a card with a drawing for every machine', async () => {
  const { page } = await openConsole(browser, served, { path: '/console/machines' });
  const cards = page.locator('.machine-card');
  await expect.poll(() => cards.count()).toBe(MACHINES.length);
  await expect.poll(() => page.locator('.machine-card svg').count()).toBe(MACHINES.length);
  const titles = await page.locator('.machine-card-title').allTextContents();
  expect(titles).toEqual(MACHINES.map(({ title }) => title));
  await cards.first().click();
  await page
    .getByRole('heading', { name: 'Meaning' })
    .or(page.getByText('Coverage'))
    .first()
    .waitFor();
});

consoleTest.each(MACHINES.map(({ kind }) => kind))(
  '%s says what each state means',
  async (kind) => {
    const { page, complaints } = await openConsole(browser, served, {
      path: `/console/machines/${kind}`,
    });
    const graph = graphOf(kind);
    await page.locator('.chart-frame svg').waitFor();
    const words = (await page.getByRole('region', { name: 'States' }).textContent()) ?? '';
    for (const { description } of graph.states.slice(1)) expect(words).toContain(description);
    const rows = page.getByRole('region', { name: 'Transitions' }).locator('tbody tr');
    expect(await rows.count()).toBe(graph.transitions.length);
    expect(await page.locator('.chart-frame [data-state]').count()).toBe(graph.states.length);
    expect(complaints).toEqual([]);
  },
);

consoleTest('a machine leaves as SVG, Mermaid and JSON', async () => {
  const { page } = await openConsole(browser, served, { path: '/console/machines/payment' });
  for (const [name, start] of [
    ['SVG', '<svg'],
    ['Mermaid', 'stateDiagram-v2'],
    ['JSON', '{'],
  ] as const) {
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name, exact: true }).click(),
    ]);
    expect(readFileSync(await file.path(), 'utf8').trimStart()).toContain(start);
    expect(file.suggestedFilename()).toMatch(/^payment\.(svg|mmd|json)$/);
  }
});

consoleTest(
  'a report of the data directory is laid over the chart and taken away again',
  async () => {
    const { held } = rig.inspector;
    const before = held.length;
    const { page } = await openConsole(browser, served, { path: '/console/machines/payment' });
    const report = reportOf('payment');
    const reports = [report, reportOf('job')];
    const choice = page.getByRole('button', { name: /^covering paths/ });
    const answered = (): Promise<number> => {
      // Pages of other tests may have asked late.
      for (const reading of held.slice(before)) reading.resolve({ reports } as never);
      return choice.count();
    };
    await expect.poll(answered).toBe(1);
    await choice.click();
    const missing = page.locator('.missing li');
    await expect.poll(() => missing.count()).toBe(2);
    expect(await marked(page, 'is-uncovered')).toBe(2);
    const parts = Object.keys(report.states).length + Object.keys(report.transitions).length;
    expect(await marked(page, 'is-covered')).toBe(parts - 2);
    expect(await page.getByRole('cell', { name: 'never' }).count()).toBe(2);
    expect(await accessFaults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Remove overlay' }).click();
    await expect.poll(() => marked(page, 'is-covered')).toBe(0);
  },
);

consoleTest('a picked file is laid over the chart, or told why not', async () => {
  const { page } = await openConsole(browser, served, { path: '/console/machines/job' });
  const pick = async (text: string): Promise<void> => {
    const path = join(files, 'report.json');
    writeFileSync(path, text);
    await page.locator('input[type=file]').setInputFiles(path);
  };
  const alert = page.getByRole('alert');
  await pick('no json');
  await alert.filter({ hasText: 'The file is not valid JSON.' }).waitFor();
  await pick(JSON.stringify(reportOf('payment')));
  await alert.filter({ hasText: 'The report is for payment v1' }).waitFor();
  await pick(JSON.stringify(reportOf('job')));
  await page.getByText('covering paths: 12 paths cover').waitFor();
  expect(await marked(page, 'is-uncovered')).toBe(2);
});

consoleTest('a machine that there is not leads to those that there are', async () => {
  const { page } = await openConsole(browser, served, { path: '/console/machines/no-such' });
  await page.getByText('This server has no machine “no-such”').waitFor();
  await page.getByRole('link', { name: 'all machines' }).click();
  await page.locator('.machine-card').first().waitFor();
});

consoleTest.each([
  ['laptop', 'dark'],
  ['phone', 'light'],
] as const)('nobody is kept out of a machine on a %s in %s', async (width, theme) => {
  const { page, strangers } = await openConsole(browser, served, {
    path: '/console/machines/debate',
    width,
    theme,
  });
  await page.locator('.chart-frame svg').waitFor();
  expect(await accessFaults(page)).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(
    page.viewportSize()?.width,
  );
  expect(strangers).toEqual([]);
});
