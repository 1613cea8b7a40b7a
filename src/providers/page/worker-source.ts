import { raisedMark } from '../../domain/page/raised.ts';
import { HIDDEN_STYLE_SOURCE } from '../data/hidden-style.ts';

/** Most links that are returned per page. */
export const LINKS_MAX = 100;
/** Most characters of text that a worker returns. */
export const TEXT_CHARS_MAX = 200_000;

/**
 * The program of the thread that extracts pages one by one. It is a string because it runs isolated
 * from all other modules. It receives pages and the URLs of two packages, and returns the extracted
 * texts, or `null` for a page that cannot be parsed.
 */
export const WORKER_SOURCE = `
const { parentPort, workerData } = require('node:worker_threads');
const { packages, linksMax, charsMax } = workerData;
const ready = Promise.all([import(packages.linkedom), import(packages.readability)]);
${HIDDEN_STYLE_SOURCE}
const BLOCKS = new Set(('P DIV SECTION ARTICLE H1 H2 H3 H4 H5 H6 LI UL OL TR TABLE BLOCKQUOTE ' +
  'PRE FIGURE FIGCAPTION HEADER FOOTER MAIN ASIDE DL DT DD HR CAPTION THEAD TBODY TFOOT DETAILS ' +
  'SUMMARY NAV FORM FIELDSET LEGEND ADDRESS OPTION BUTTON').split(' '));
const CONTROL = '[aria-controls][aria-expanded],[role=tab][aria-controls]';
const HANDLE = 'button,summary,[aria-expanded],[role=button],[role=tab]';
/** Finds panels that a reader can open: a control with a text names them. */
function panelsOf(document) {
  const panels = new Set();
  for (const control of document.querySelectorAll(CONTROL)) {
    if (control.textContent.trim() === '') continue;
    for (const id of control.getAttribute('aria-controls').split(/\\s+/)) panels.add(id);
  }
  return panels;
}
/** Detects an accordion panel: collapsed by height, directly after the control that opens it. */
function isBehindHandle(element, style) {
  const before = element.previousElementSibling;
  return isCollapsed(style) && before !== null &&
    (before.matches(HANDLE) || before.querySelector(HANDLE) !== null);
}
/** Removes text of size zero. Nested elements with a size of their own stay visible. */
function dropUnsized(element) {
  const isSized = (one) => {
    const size = styleOf(one.getAttribute('style') ?? '').get('font-size') ?? '';
    return !/em$|%$/.test(size.replace(/rem$/, 'px')) && (pixelsOf(size) ?? 0) >= TEXT_PX_MIN;
  };
  let dropped = false;
  const walk = (node) => {
    for (const child of [...node.childNodes]) {
      if (child.nodeType === 3 && child.textContent.trim() !== '') {
        dropped = true;
        child.remove();
      } else if (child.nodeType === 1 && !isSized(child)) walk(child);
    }
  };
  walk(element);
  return dropped;
}
function strip(document) {
  let hiddenElements = 0;
  let comments = 0;
  const panels = panelsOf(document);
  for (const element of [...document.querySelectorAll('*')]) {
    if (['HTML', 'BODY', 'HEAD'].includes(element.tagName)) continue;
    const text = element.getAttribute('style');
    if (text === null && !element.hasAttribute('hidden') && !element.hasAttribute('aria-hidden')) {
      continue;
    }
    const style = styleOf(text ?? '');
    const isOpened = panels.has(element.id) || isBehindHandle(element, style);
    if (isZero(style.get('font-size')) && element.children.length > 0) {
      if (dropUnsized(element)) hiddenElements += 1;
      style.delete('font-size');
      element.setAttribute('style', [...style].map((one) => one.join(':')).join(';'));
    }
    if (isUnseen((name) => element.getAttribute(name), isOpened)) {
      hiddenElements += 1;
      element.remove();
      continue;
    }
    // Readability has its own rules for these attributes.
    element.removeAttribute('hidden');
    element.removeAttribute('style');
    if (isOpened) element.removeAttribute('aria-hidden');
  }
  // Marks footnotes, which are not exponents, before Readability removes classes.
  for (const raised of document.querySelectorAll('sup')) {
    const isNote = raised.querySelector('a') !== null ||
      /note|reference|cite/i.test(raised.getAttribute('class') ?? '');
    if (isNote && /^[^[].*[^\\]]$|^[^[]$/.test(raised.textContent.trim())) {
      raised.prepend('[');
      raised.append(']');
    }
  }
  const walk = (node) => {
    for (const child of [...node.childNodes]) {
      if (child.nodeType === 8) { comments += 1; child.remove(); } else walk(child);
    }
  };
  walk(document);
  for (const element of [...document.querySelectorAll('script,style,noscript,template')]) {
    const isMeta = element.getAttribute('type') === 'application/ld+json';
    if (!isMeta) element.remove();
  }
  return { hiddenElements, comments };
}
// Placeholders for line ends and spaces of code, until lines of prose are trimmed.
const [LINE, SPACE] = ['\\u0001', '\\u0002'];
const CELL_CHARS_MAX = 200;
const lastOf = (pieces) => pieces.findLast((piece) => piece !== '')?.at(-1) ?? '\\n';
const raisedMark = ${String(raisedMark)};
/** Formats raised and lowered text on one line: 10^6, x_1, H2O, 1st, a note as [12]. */
function raisedText(node, pieces) {
  const text = node.textContent.replace(/\\s+/g, ' ').trim();
  const next = node.nextSibling?.nodeType === 3 ? node.nextSibling.textContent : '';
  const before = pieces.slice(-2).join('').slice(-2);
  if (/^\\[.*\\]$/.test(text)) return text;
  // A fraction: its numerator is not an exponent.
  if (/^\\s*[\\/\\u2044]/.test(next)) return (/\\p{N}$/u.test(before) ? ' ' : '') + text;
  const mark = raisedMark(node.tagName, before, text);
  return mark === '' ? text : mark + bracketed(text) + (/^[\\p{L}\\p{N}]/u.test(next) ? ' ' : '');
}
const bracketed = (text) =>
  (/^[+\\u2212-]?[\\p{L}\\p{N}.,]+$/u.test(text) ? text : '(' + text + ')');
function formulaOf(node) {
  const note = node.querySelector('annotation[encoding*=tex]');
  return note === null ? undefined : ' ' + note.textContent.replace(/\\s+/g, ' ').trim() + ' ';
}
function piecesOf(root) {
  const pieces = [];
  const walk = (node, isCode) => {
    if (node.nodeType === 3) {
      const text = node.textContent.replaceAll(LINE, '').replaceAll(SPACE, '');
      pieces.push(isCode ? text.replace(/\\r\\n?|\\n/g, LINE).replaceAll(' ', SPACE)
        : text.replace(/\\s+/g, ' '));
      return;
    }
    const tag = node.tagName?.toUpperCase();
    if (node.nodeType !== 1 || ['SCRIPT', 'STYLE'].includes(tag)) return;
    if (tag === 'SUP' || tag === 'SUB') { pieces.push(raisedText(node, pieces)); return; }
    const formula = tag === 'MATH' ? formulaOf(node) : undefined;
    if (formula !== undefined) { pieces.push(formula); return; }
    if (tag === 'BR') { pieces.push(isCode ? LINE : '\\n'); return; }
    if (tag === 'TD' || tag === 'TH') { pieces.push(cellText(node) + '\\t'); return; }
    const isBlock = BLOCKS.has(tag);
    const isInCode = isCode || tag === 'PRE';
    const edge = isCode ? LINE : '\\n';
    if (isBlock && (!isCode || ![LINE, '\\n'].includes(lastOf(pieces)))) pieces.push(edge);
    for (const child of node.childNodes) walk(child, isInCode);
    if (isBlock && (!isCode || ![LINE, '\\n'].includes(lastOf(pieces)))) pieces.push(edge);
  };
  for (const child of root.childNodes) walk(child, root.tagName?.toUpperCase() === 'PRE');
  return pieces;
}
/** Joins a short table cell to one line. Cells of a layout table keep their blocks. */
function cellText(cell) {
  const text = piecesOf(cell).join('').trim();
  return text.length <= CELL_CHARS_MAX && !text.includes(LINE) ? text.replace(/\\s+/g, ' ') : text;
}
function textOf(root) {
  return piecesOf(root).join('').split('\\n')
    .map((line) => line.replace(/ {2,}/g, ' ').trim()).map((line) => line.replace(EDGES, ''))
    .filter((line) => line !== '').join('\\n\\n')
    .replaceAll(LINE, '\\n').replaceAll(SPACE, ' ').slice(0, charsMax);
}
const EDGES = new RegExp('^(?:' + SPACE + '*' + LINE + ')+|[' + LINE + SPACE + ']+$', 'g');
function linksOf(root, url) {
  const found = new Map();
  for (const anchor of root.querySelectorAll('a[href]')) {
    if (found.size >= linksMax) break;
    const href = anchor.getAttribute('href');
    if (!URL.canParse(href, url)) continue;
    const address = new URL(href, url);
    if (!/^https?:$/.test(address.protocol) || found.has(address.href)) continue;
    const text = anchor.textContent.replace(/\\s+/g, ' ').trim().slice(0, 200);
    found.set(address.href.slice(0, 2048), text);
  }
  return [...found].map(([address, text]) => ({ url: address, text }));
}
// The parser adds no missing elements and finds no text outside a body.
const whole = (inner) => '<!doctype html><html><head></head><body>' + inner + '</body></html>';
const short = (value) =>
  typeof value === 'string' && value.trim() !== '' ? value.trim().slice(0, 500) : null;
async function read({ html, url }) {
  const [{ parseHTML }, { Readability }] = await ready;
  const isWhole = /<html[\\s>]/i.test(html) && /<body[\\s>]/i.test(html);
  const { document } = parseHTML(isWhole ? html : whole(html));
  const counts = strip(document);
  const title = short(document.querySelector('title')?.textContent);
  const lang = short(document.documentElement?.getAttribute('lang'));
  const body = document.body?.cloneNode(true) ?? document.documentElement;
  const article = new Readability(document, { charThreshold: 200 }).parse();
  const isFound = typeof article?.content === 'string' && (article.length ?? 0) > 0;
  const root = isFound ? parseHTML(whole(article.content)).document.body : body;
  return {
    engine: isFound ? 'readability' : 'body', title: short(article?.title) ?? title,
    byline: short(article?.byline), publishedAt: short(article?.publishedTime), lang,
    text: textOf(root), links: linksOf(root, url), ...counts,
  };
}
parentPort.on('message', async (page) => {
  parentPort.postMessage(await read(page).catch(() => null));
});
`;
