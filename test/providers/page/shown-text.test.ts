import { expect, test } from 'vitest';
import { PageExtractor } from '../../../src/providers/page/extract.ts';
import { realClock } from '../../support/real-clock.ts';

const PROSE =
  'The report of the harbour speaks at length about quays, cranes and tides, and of those who work there.';
// A thread that has to wait for its turn on a busy machine is not what is tested here.
const extractor = new PageExtractor({
  now: () => realClock.now(),
  at: (time, run) => realClock.at(time + 60_000, run),
});

/** The text of a page between two paragraphs of prose, and what was taken out of it. */
async function extract(inner: string) {
  const page = `<html><head><title>H</title></head><body><article><h1>H</h1><p>${PROSE}</p>${inner}<p>${PROSE}</p></article></body></html>`;
  const made = await extractor.extract(page, 'https://example.org/');
  if (!('value' in made)) throw new Error(made.why);
  const [, text = ''] = made.value.text.split(PROSE);
  return { text: text.trim(), hidden: made.value.hiddenElements };
}

const MARK = 'MARKED words that stand on this page, with commas, as others do.';
const styled = (style: string, more = '') => `<div style="${style}" ${more}><p>${MARK}</p></div>`;
const BUTTON = '<button aria-expanded="false" aria-controls="p1">How much is it?</button>';

test('what a reader sees, or can open, is kept', async () => {
  const pages = [
    styled('font-size:.85em'),
    styled('font-size:0.75rem;line-height:0'),
    styled('margin:0 0 0 -240px'),
    styled('position:relative;left:-120px'),
    styled('text-indent:-36pt;padding-left:36pt'),
    styled('opacity:0.05'),
    styled('opacity:0;transition:opacity .6s ease'),
    styled('opacity: 0', 'data-aos="fade-up"'),
    styled('visibility:hidden;animation-name:none', 'class="wow fadeInUp"'),
    styled('opacity:0', 'class="reveal"'),
    styled('max-height:0px;overflow:hidden;transition:max-height .2s'),
    `${BUTTON}<div id="p1" hidden><p>${MARK}</p></div>`,
    `${BUTTON}<div id="p1" style="display:none" aria-hidden="true"><p>${MARK}</p></div>`,
    `<h3><button>Prices</button></h3>${styled('height:0;overflow:hidden')}`,
    `<div hidden="until-found"><p>${MARK}</p></div>`,
    `<details><summary>More</summary><p>${MARK}</p></details>`,
    `<div style="font-size:0"><div style="font-size:14px"><p>${MARK}</p></div></div>`,
    styled('color:#111;background:#fff'),
    styled(
      'color:transparent;-webkit-background-clip:text;background-image:linear-gradient(red,blue)',
    ),
  ];
  for (const page of pages) {
    const { text, hidden } = await extract(page);
    expect([text.includes('MARKED'), hidden], page).toEqual([true, 0]);
  }
});

test('what nobody can see is dropped', async () => {
  const pages = [
    styled('display : none'),
    styled('display:/* shown */none'),
    styled('DISPLAY:NONE !important'),
    styled('opacity:0'),
    styled('opacity:0;position:absolute;transition:all 1s'),
    styled('visibility:hidden'),
    styled('font-size:0.01px'),
    styled('font-size:1px'),
    styled('font-size:0em'),
    `<div style="font-size:0"><p style="font-size:2em">${MARK}</p></div>`,
    styled('position:absolute;left:-9999px'),
    styled('margin-left:-5000px'),
    styled('text-indent:-99em'),
    styled('transform:translateX(-9999px)'),
    styled('transform: scale(0)'),
    styled('position:absolute;clip:rect(0 0 0 0)'),
    styled('clip-path:inset(50%)'),
    styled('max-height:0;overflow:hidden'),
    styled('width:0;height:0;overflow:hidden'),
    styled('color:#fff;background-color:white'),
    styled('color:rgb(255, 255, 255);background:#ffffff'),
    styled('color:transparent'),
    '<div hidden><p>MARKED</p></div>',
    `<button aria-expanded="false" aria-controls="p2"></button><div id="p2" hidden><p>${MARK}</p></div>`,
  ];
  for (const page of pages) {
    const { text, hidden } = await extract(page);
    expect([text.includes('MARKED'), hidden > 0], page).toEqual([false, true]);
  }
});

test('cells stand apart, and a table that lays out a page keeps its paragraphs', async () => {
  const row = (...cells: readonly string[]) =>
    `<tr>${cells.map((one) => `<td>${one}</td>`).join('')}</tr>`;
  const figures = `<table><thead><tr><th>Port</th><th>2023</th></tr></thead><tbody>${row('<p>Ulm</p>', '7')}${row('Bonn', '(12)')}</tbody></table>`;
  expect((await extract(figures)).text).toBe('Port\t2023\n\nUlm\t7\n\nBonn\t(12)');
  const layout = `<table>${row(`<p>${MARK.repeat(2)}</p><p>${MARK.repeat(2)}</p>`)}</table>`;
  expect((await extract(layout)).text.split('\n\n')).toHaveLength(2);
});

test.each([
  ['about 3 × 10<sup>8</sup> metres', 'about 3 × 10^8 metres'],
  ['10<sup>−3</sup>mol and m<sup>2</sup>.', '10^−3 mol and m^2.'],
  ['x<sub>12</sub> and a<sub>n+1</sub>', 'x_12 and a_(n+1)'],
  ['CO<sub>2</sub>, Ca(OH)<sub>2</sub>', 'CO2, Ca(OH)2'],
  ['on the 21<sup>st</sup> of May', 'on the 21st of May'],
  ['half is <sup>1</sup>/<sub>2</sub>, and 3<sup>1</sup>/<sub>2</sub>', 'half is 1/2, and 3 1/2'],
  ['in 2019<sup><a href="#n12">12</a></sup> it was', 'in 2019[12] it was'],
  ['in 2019<sup class="footnote">12</sup> it was', 'in 2019[12] it was'],
])('raised and lowered text is readable: %s', async (markup, expected) => {
  expect((await extract(`<p>It is ${markup}</p>`)).text).toBe(`It is ${expected}`);
});

test('a program keeps its lines and their depth', async () => {
  const code = '<pre class="code">if ready:\n    run(1)\n\n\tstop()\n</pre>';
  expect((await extract(code)).text).toBe('if ready:\n    run(1)\n\n\tstop()');
  const marked = '<pre><code><span>a = 1</span><br><span>  b = 2</span></code></pre>';
  expect((await extract(marked)).text).toBe('a = 1\n  b = 2');
});
