import { DRAWING_STYLE } from '../../drawing/drawing-style.ts';

/** All text colours have a contrast of at least 4.5:1 in both themes. Print is always light. */
const COLOURS =
  ':root{color-scheme:light dark;--paper:light-dark(#fff,#12171c);' +
  '--ink:light-dark(#131920,#e4e9ee);--soft:light-dark(#4c5864,#a3b0bd);' +
  '--edge:light-dark(#d3dae1,#2b343e);--rail:light-dark(#e9edf1,#232b34);' +
  '--mid:light-dark(#76828f,#7d8a98);--main:light-dark(#1f6db3,#5fa8e6);' +
  '--good:light-dark(#1b7f4b,#5fc48d);--bad:light-dark(#b3261e,#f08c82);' +
  '--warn:light-dark(#b27300,#e0ad55);--link:light-dark(#12558f,#86bff2)}';

/** The style sheet of a report. */
export const REPORT_STYLE =
  COLOURS +
  'body{font:16px/1.5 system-ui,sans-serif;max-width:66rem;margin:2rem auto;padding:0 1rem;' +
  'background:var(--paper);color:var(--ink);overflow-wrap:anywhere}' +
  'h1{font-size:1.75rem;line-height:1.2;margin:0 0 .5rem}' +
  'h2{font-size:1.25rem;margin:2rem 0 .5rem;padding-top:1rem;border-top:1px solid var(--edge)}' +
  'h3{font-size:1rem;margin:1rem 0 .25rem}a{color:var(--link)}small{color:var(--soft)}' +
  '.lead{font-size:1.125rem;margin:.25rem 0}.soft{color:var(--soft);margin:.25rem 0}' +
  '.note{border-left:3px solid var(--mid);padding-left:.75rem}' +
  '.cards{display:grid;grid-template-columns:repeat(3,1fr);gap:.75rem;margin:1rem 0;padding:0}' +
  '.card{border:1px solid var(--edge);border-radius:.375rem;padding:.5rem .75rem;margin:0}' +
  '.card dt{color:var(--soft);font-size:.875rem;font-weight:400}' +
  '.card dd{margin:0}.card b{font-size:1.25rem}.card small{display:block}' +
  '.status{display:inline-block;border:1px solid currentColor;border-radius:1rem;' +
  'padding:0 .6rem;font-size:.8125rem;font-weight:600;vertical-align:middle}' +
  '.is-good{color:var(--good)}.is-bad{color:var(--bad)}.is-warn{color:var(--ink)}' +
  '.drawings{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,25rem),1fr));' +
  'gap:1rem 2rem;align-items:start}' +
  'figure{margin:1rem 0 0;max-width:35rem}figcaption{margin-bottom:.5rem}' +
  '@media(min-width:60rem){figure:only-child{display:grid;gap:2rem;max-width:none;' +
  'grid-template-columns:minmax(0,1fr) 35rem}}' +
  'figcaption b{display:block}figcaption small{display:block}' +
  '.wide{overflow-x:auto}.wide td{min-width:5rem;overflow-wrap:break-word}' +
  '.wide .long,.wide td.text{min-width:16rem}.wide .long{overflow-wrap:anywhere}' +
  '.term{margin-right:.5rem}.term i{font-style:normal;color:var(--soft)}' +
  'td ul{margin:0;padding-left:1rem}dd>p{margin:.2rem 0}' +
  'table{border-collapse:collapse;width:100%;font-size:.875rem;margin:.5rem 0}' +
  'th,td{text-align:left;vertical-align:top;padding:.3rem .75rem .3rem 0;' +
  'border-bottom:1px solid var(--edge)}' +
  'dl{display:grid;grid-template-columns:minmax(7rem,max-content) minmax(0,1fr);gap:.2rem 1rem;' +
  'margin:.5rem 0}dt{font-weight:600}dd{margin:0}.big{grid-column:1/-1}dd.big{margin-left:1rem}' +
  '.card{display:block}details{margin:1rem 0}' +
  'summary{cursor:pointer;font-weight:600}pre,code{white-space:pre-wrap;font-size:.8125rem}' +
  DRAWING_STYLE +
  '@page{size:A4;margin:16mm}' +
  '@media(max-width:40rem){.cards{grid-template-columns:1fr 1fr}}' +
  '@media(max-width:30rem){dl{display:block}dd{margin:0 0 .4rem 1rem}}' +
  '@media print{:root{color-scheme:light}body{max-width:none;margin:0;padding:0;font-size:10pt}' +
  'a{color:inherit;text-decoration:none}tr,figure,.card{break-inside:avoid}' +
  'h2,h3{break-after:avoid}thead{display:table-header-group}.wide{overflow:visible}' +
  '.wide table{font-size:7pt}.wide td,.wide td.text{min-width:0;overflow-wrap:anywhere}' +
  '.drawings{grid-template-columns:1fr 1fr}' +
  '.drawing *{print-color-adjust:exact;-webkit-print-color-adjust:exact}}';
