import { expect, test } from 'vitest';
import { renderPage } from '../../../../src/domain/common/markup.ts';
import { parseReport } from '../../../../src/domain/report/page/parse-report.ts';
import { renderReportPage } from '../../../../src/domain/report/page/report-page.ts';
import { marketAnswer } from '../../../support/reports/market-answer.ts';
import { vetted } from '../../../support/reports/vetting-rig.ts';
import { readingRig } from '../../../support/upstreams/reading-rig.ts';

const pageOf = (saved: unknown) => renderPage(renderReportPage(parseReport(saved)));

function titlesOf(page: string): readonly string[] {
  return [...page.matchAll(/<figcaption><b>([^<]*)<\/b>/g)].map(([, title = '']) => title);
}

test('a report on a ticker is drawn section by section, each drawing with its sources and times', async () => {
  const answer = await marketAnswer();
  const page = pageOf(answer);
  expect(titlesOf(page)).toEqual([
    'Quotes by exchange',
    expect.stringMatching(/^Prices of BTC\/USD at \w+$/),
    'Deepest drawdowns',
    'Mean return by season',
    'Volatility by estimator',
    'Spreads between order books',
    'Sentiment by channel',
    'Coverage',
  ]);
  const captions = [...page.matchAll(/<figcaption>(.*?)<\/figcaption>/g)].map(([all]) => all);
  for (const caption of captions.slice(0, -1)) {
    expect(caption).toMatch(/As of <time datetime="\d{4}-/);
    expect(caption).toMatch(/<a href="#s\d+">/);
  }
  // Every source that is cited stands in the page.
  const cited = new Set([...page.matchAll(/href="#(s\d+)"/g)].map(([, id]) => id));
  for (const id of cited) expect(page).toContain(`<span id="${id}">`);
  expect(page.match(/(?:href|src)="(?!#)/g)).toBeNull();
  expect(page).not.toMatch(/<script|<link|<img|@import|url\(/);
});

test('the candles of a report are those of its hash, and they are drawn and not written out', async () => {
  const { data } = await marketAnswer({ history_days: 40 });
  const { report } = (data as never as { sections: { history: { report: History } } }).sections
    .history;
  expect(report.candles.rows).toHaveLength(40);
  expect(report.candles.sources.length).toBeGreaterThan(0);
  const { close } = { close: report.candles.rows.at(-1)?.[4] };
  expect(close).toBe(report.last_close.value);
  expect(pageOf(await marketAnswer({ history_days: 40 }))).toContain('40, listed in the JSON');
});

interface History {
  readonly candles: { readonly rows: readonly (readonly string[])[]; readonly sources: string[] };
  readonly last_close: { readonly value: string };
}

test('a section that nobody answered says so and is no drawing', async () => {
  const page = pageOf(
    await marketAnswer(
      {},
      { fault: 'stale', at: ['kraken', 'coinbase', 'bitstamp', 'coinbasebooks'] },
    ),
  );
  expect(titlesOf(page)).not.toContain('Quotes by exchange');
  expect(page).toContain('<h2>Price now <span class="status is-bad">none</span></h2>');
  expect(page).toContain('<dt>Price</dt><dd><b>unknown</b></dd>');
  expect(page).toContain('stale_data');
});

test('a vetting shows each lens with its status and findings, and where it stands on', async () => {
  const { state } = await vetted(await readingRig(), { name: 'Apple Inc.', ticker: 'AAPL' });
  const page = pageOf(state);
  expect(titlesOf(page)).toEqual(['Lenses', 'Coverage']);
  expect(page).toContain('<h1>Report on Apple Inc.</h1>');
  expect(page).toContain('Published, partial: 4 of 4 steps.');
  expect(page).toContain('no data');
  expect(page).toContain('altman_grey');
  expect(page).toMatch(/<td>0\.98 ratio <small><time [^>]*>[^<]*<\/time> <strong>stale<\/strong>/);
  expect(page).toContain('Red flags');
});

test('a whole tool result is read as well, and anything else is refused by name', async () => {
  const { state } = await vetted(await readingRig(), {
    name: 'Nobody',
    wallet: `0x${'a'.repeat(40)}`,
  });
  expect(parseReport({ content: [], structuredContent: state }).job?.job_id).toBe(state.job_id);
  for (const wrong of [null, [], {}, { tool: 'x' }, 'text', { structuredContent: {} }]) {
    expect(() => parseReport(wrong)).toThrow(expect.objectContaining({ code: 'INPUT_INVALID' }));
  }
});
