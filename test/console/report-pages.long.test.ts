import { expect } from 'vitest';
import { accessFaults, WIDTHS } from '../support/browser.ts';
import { besideBrowser, expectForEverybody } from '../support/browser-test.ts';
import { textOf, texts } from './actor-page.ts';
import { openReportStage, SECRET_SUBJECT } from './report-stage.ts';

const { browserTest, host, open } = besideBrowser(() => openReportStage(['reports']));

/** What an answer could have brought to life in a page. */
const ALIVE = 'main script, main img, main iframe, main object, main form, main style';

browserTest('a report is followed from its steps to the charts of its answer', async () => {
  const id = await host().order('live');
  const { page, strangers, complaints } = await open('/console/reports');
  const listed = page.locator(`[data-report="${id}"]`);
  await expect.poll(() => textOf(listed)).toContain('2 of 3 steps, 1 failed');
  await listed.getByRole('link').click();
  await page.locator('[data-report-status="active"]').waitFor();
  await page.getByText('Not written yet.').waitFor();
  expect(await texts(page, '[data-fault] td')).toEqual([
    'Looks at filings',
    'filings',
    'upstream_unavailable',
  ]);
  const drawing = page.locator('.report-drawing svg').first();
  expect(await drawing.getAttribute('aria-label')).toBe('Steps and their durations');
  expect(await drawing.locator('rect.good').count()).toBe(1);
  expect(await drawing.locator('rect.bad').count()).toBe(1);
  expect(await drawing.locator('rect.main').count()).toBe(1);

  host().release();
  await page.locator('[data-answer="partial"]').waitFor();
  expect(await texts(page, '.report-card dt')).toEqual([
    ...['Risk', 'Red flags', 'Lenses with data'],
  ]);
  expect(await texts(page, '.report-figure figcaption strong')).toEqual(['Lenses', 'Coverage']);
  expect(await textOf(page.locator('.report-title'))).toContain(SECRET_SUBJECT);
  expect(await page.locator(ALIVE).count()).toBe(0);
  expect(await page.evaluate('window.injected')).toBeUndefined();
  expect([...strangers, ...complaints]).toEqual([]);
});

browserTest('its page stands behind a link and is as readable by everybody', async () => {
  host().release();
  const id = await host().order('page');
  const { page: waiting } = await open(`/console/report/${id}`);
  await waiting.locator('[data-answer]').waitFor();
  const path = await waiting.getByRole('link', { name: 'Full report' }).getAttribute('href');
  for (const width of ['laptop', 'phone'] as const) {
    const { page, strangers, complaints } = await open('/console/', { width });
    await page.goto(new URL(path ?? '', page.url()).href);
    await page.locator('figure').first().waitFor();
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await accessFaults(page), `${width} ${colorScheme}`).toEqual([]);
    }
    const wide = await page.evaluate<number>('document.documentElement.scrollWidth');
    expect(wide, width).toBe(WIDTHS[width]);
    expect([...strangers, ...complaints]).toEqual([]);
  }
});

browserTest('reports can be read on a phone and by everybody', async () => {
  host().release();
  const id = await host().order('all');
  await expectForEverybody(open, [
    ['/console/reports', `[data-report="${id}"] [data-progress]`],
    [`/console/report/${id}`, '[data-answer]'],
  ]);
});
