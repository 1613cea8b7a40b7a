import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { accessFaults, WIDTHS } from '../support/browser.ts';
import { besideBrowser, expectForEverybody } from '../support/browser-test.ts';
import { deferred } from '../support/deferred.ts';
import { textOf, texts } from './actor-page.ts';
import { openAuditStage } from './audit-stage.ts';
import { INJECTIONS } from './injections.ts';

const { browserTest, host, open } = besideBrowser(openAuditStage);

/** What the target could have brought to life in a page. */
const ALIVE = 'main script, main img, main iframe, main object, main form, main style';

/** Lets the target answer so many listings of its tools, and holds the next one. */
function holdAfter(listings: number): () => void {
  const { fake } = host();
  const gate = deferred<void>();
  let seen = 0;
  fake.onRequest = (method) => {
    seen += method === 'tools/list' ? 1 : 0;
    if (seen === listings + 1) fake.gate = gate.promise;
  };
  return () => {
    fake.onRequest = () => undefined;
    fake.gate = undefined;
    gate.resolve();
  };
}

async function expectInert(page: Page): Promise<void> {
  expect(await page.evaluate('window.injected')).toBeUndefined();
}

browserTest('an audit is followed from its probes to its report', async () => {
  const release = holdAfter(2);
  await host().audit('live', { categories: ['ASI01', 'ASI02', 'ASI05', 'ASI06'] });
  const { page, strangers, complaints } = await open('/console/panels');
  await page.getByRole('link', { name: 'Audit of https://live.example/mcp' }).click();

  await page.locator('[data-running="memory"]').waitFor();
  expect(await textOf(page.locator('.audit-progress p'))).toBe(
    '1 of 4 probes finished. S1, the ASI01 and ASI06 auditor, runs memory.',
  );
  expect(await textOf(page.locator('[aria-current="step"]'))).toContain('probing');
  expect(await textOf(page.locator('[data-seat="S1"] .seat-state'))).toBe('working');
  expect(await page.locator('[data-consent="nonce"]').count()).toBe(1);
  expect(await page.locator('[data-category]').count()).toBe(10);
  expect(await textOf(page.locator('[data-category="ASI05"]'))).toContain('open');
  expect(await textOf(page.locator('[data-category="ASI09"]'))).toContain('not assessed');
  expect(await page.locator('[data-probe="memory"]').getAttribute('data-outcome')).toBe('running');
  await page.getByText('Not written yet.').waitFor();
  await page.getByText('Who can stop it').waitFor();

  release();
  await page.locator('[data-outcome="complete"]').waitFor();
  await page.getByRole('link', { name: 'SARIF' }).waitFor();
  expect(await page.locator('[data-category="ASI05"]').getAttribute('data-verdict')).toBe('fail');
  expect(await page.locator('[data-category="ASI01"]').getAttribute('data-verdict')).toBe('pass');
  const unseen = page.locator('[data-category="ASI09"]');
  expect(await unseen.getAttribute('data-verdict')).toBe('not_assessed');
  expect(await textOf(unseen)).toContain('no probe planned');
  const found = page.locator('[data-finding]').first();
  expect(await found.getAttribute('data-replay')).toBe('seen');
  for (const words of ['critical', 'There is a tool run_anything', 'reproduced by seat S3']) {
    expect(await textOf(found)).toContain(words);
  }
  expect(await textOf(page.locator('.confirmed'))).toBe('1 critical, 1 low');
  expect(await textOf(page.getByRole('region', { name: 'Report' }))).toContain(
    'not configured: This chain has no anchor contract.',
  );
  expect([...strangers, ...complaints]).toEqual([]);
});

browserTest('an audit that is not there says so', async () => {
  const { page } = await open('/console/audit/nobody');
  await page.getByText('The audit nobody cannot be shown').waitFor();
});

browserTest(
  'audits can be read on a phone and by everybody, while they run and after',
  async () => {
    const release = holdAfter(2);
    await host().audit('open');
    await expectForEverybody(open, [
      ['/console/audit/live', '[data-outcome="complete"]'],
      ['/console/audit/open', '[data-running="memory"]'],
    ]);
    release();
  },
);

browserTest('what a hostile target calls its tools stays text, in console and report', async () => {
  const auditId = await host().audit('hostile');
  const { page, strangers, complaints } = await open('/console/audit/hostile');
  await page.locator('[data-outcome="complete"]').waitFor({ timeout: 60_000 });
  await page.locator('[data-report^="/v1/audits/"]').waitFor();
  const before = await page.locator('[data-finding]').count();
  await page
    .getByRole('button', { name: /^\d+ more$/ })
    .first()
    .click();
  await expect.poll(() => page.locator('[data-finding]').count()).toBeGreaterThan(before);
  const more = page.getByRole('button', { name: /^\d+ more$/ });
  while ((await more.count()) > 0) await more.first().click();
  expect(await texts(page, '.finding-head strong bdi')).toContain(INJECTIONS[0]);
  expect(await page.locator(ALIVE).count()).toBe(0);
  await expectInert(page);

  await page.goto(new URL(`/v1/audits/${auditId}`, page.url()).href);
  const titles = await page.locator('article h3').allTextContents();
  expect(titles.join('\n')).toContain(INJECTIONS[0]);
  expect(await page.locator('script, img, iframe, object, form, link, base').count()).toBe(0);
  for (const summary of await page.locator('summary').all()) await summary.click();
  await expectInert(page);
  expect([...strangers, ...complaints]).toEqual([]);
});

browserTest(
  'the report and the list of reports can be read by everybody in a browser',
  async () => {
    const auditId = await host().audit('report');
    const { page: waiting } = await open('/console/audit/report');
    await waiting.locator('[data-report^="/v1/audits/"]').waitFor({ timeout: 60_000 });
    for (const width of ['laptop', 'phone'] as const) {
      const { page, strangers, complaints } = await open('/console/', { width });
      for (const path of [`/v1/audits/${auditId}`, '/v1/audits']) {
        await page.goto(new URL(path, page.url()).href);
        await page.locator('table').first().waitFor();
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme });
          expect(await accessFaults(page), `${path} ${width} ${colorScheme}`).toEqual([]);
        }
        const wide = await page.evaluate<number>('document.documentElement.scrollWidth');
        expect(wide, `${path} ${width}`).toBe(WIDTHS[width]);
      }
      expect([...strangers, ...complaints]).toEqual([]);
    }
  },
);

browserTest('a report is read and its evidence opened by keys alone', async () => {
  const { page } = await open('/console/audit/report');
  const report = page.getByRole('link', { name: 'Page', exact: true });
  await report.focus();
  const [opened] = await Promise.all([page.waitForEvent('popup'), page.keyboard.press('Enter')]);
  await opened.locator('details').first().waitFor();
  const isOpen = async (): Promise<boolean> =>
    (await opened.locator('details').first().getAttribute('open')) !== null;
  expect(await isOpen()).toBe(false);
  await opened.locator('summary').first().focus();
  await opened.keyboard.press('Enter');
  await expect.poll(isOpen).toBe(true);
});
