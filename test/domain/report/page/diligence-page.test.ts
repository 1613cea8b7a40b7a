import { expect, test } from 'vitest';
import { renderPage } from '../../../../src/domain/common/markup.ts';
import { parseReport } from '../../../../src/domain/report/page/parse-report.ts';
import { renderReportPage } from '../../../../src/domain/report/page/report-page.ts';
import { examined } from '../../../support/reports/diligence-rig.ts';
import { readingRig } from '../../../support/upstreams/reading-rig.ts';

test('a due diligence shows each lens, what its overall lacks, and quotes as texts', async () => {
  const title = 'Equinor indicted <script>alert(1)</script> for fraud';
  const news = { 'grave.example': [{ title, url: 'https://a.example/1' }] };
  const { report } = await examined(
    await readingRig(),
    { name: 'Equinor', jurisdiction: 'no' },
    { news },
  );
  const page = renderPage(renderReportPage(parseReport(report)));
  expect(page).toContain('<b>Lenses</b>');
  for (const text of ['Report on Equinor', 'insufficient evidence', 'not covered', 'fraud']) {
    expect(page).toContain(text);
  }
  expect(page).toContain('financials is no_data');
  expect(page).not.toContain('<script');
});
