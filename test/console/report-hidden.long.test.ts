import { expect } from 'vitest';
import { besideBrowser } from '../support/browser-test.ts';
import { openReportStage, SECRET_SUBJECT } from './report-stage.ts';

const { browserTest, host, open } = besideBrowser(() => openReportStage([]));

browserTest('what a buyer asked and got stays hidden unless the operator allows it', async () => {
  host().release();
  const id = await host().order('hidden');
  const { page, complaints } = await open(`/console/report/${id}`);
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  await page.locator('[data-report-status="done"]').waitFor();
  await page.getByText('--console-actions reports').waitFor();
  await page.reload();
  await page.getByText('--console-actions reports').waitFor();
  expect(await page.locator('main').textContent()).not.toContain(SECRET_SUBJECT);
  expect(await page.locator('a[href^="/v1/reports/"]').count()).toBe(0);
  expect(asked.filter((url) => url.includes('/v1/reports/'))).toEqual([]);
  expect(complaints).toEqual([]);
});
