import { expect, test } from 'vitest';
import { renderData } from '../../../../src/domain/report/page/render-data.ts';

const BOOK = { asks: 3, bids: { levels: 2, note: '<b>deep</b>' } };

test('parts of a row are names with values, and no JSON', () => {
  const page = renderData({ rows: [{ name: 'a', book: BOOK }, { name: 'b' }] });
  expect(page).toContain('<i>asks</i> 3');
  expect(page).toContain('<i>levels</i> 2');
  expect(page).toContain('&#60;b&#62;deep');
  expect(page).not.toMatch(/<code>|<pre>|&#34;|<b>deep/);
});

test('a part that is the same in all rows is told once, below them', () => {
  const caveats = ['Withdrawals are not known.', 'Fees are those of the lowest tier.'];
  const same = renderData([
    { venue: 'a', caveats },
    { venue: 'b', caveats },
  ]);
  expect(same.match(/Withdrawals are not known/g)).toHaveLength(1);
  expect(same).toContain('In all rows: caveats');
  expect(same.match(/<th /g)).toHaveLength(1);
  const other = renderData([
    { venue: 'a', caveats },
    { venue: 'b', caveats: [] },
  ]);
  expect(other).not.toContain('In all rows');
  expect(other.match(/<th /g)).toHaveLength(2);
});

test('times are written for people inside of a text, too, and stand whole in the markup', () => {
  const page = renderData({ searched: ['L: 2 parties, as of 2026-11-23T20:08:42.050Z & <i>'] });
  expect(page).toContain(
    'as of <time datetime="2026-11-23T20:08:42.050Z">2026-11-23 20:08:42 UTC</time> &#38; &#60;i&#62;',
  );
});

test('nothing, and a few words, stand in one line beside their name', () => {
  expect(renderData({ dropped: [], venues: ['kraken', 'coinbase'] })).toBe(
    '<dl><dt>dropped</dt><dd>none</dd><dt>venues</dt><dd>kraken, coinbase</dd></dl>',
  );
  expect(renderData({ searched: ['x'.repeat(40), 'y'.repeat(40)] })).toContain('<ul><li>x');
});
