// @ts-check
import '../data/silence-output.mjs';
import { Readability } from '@mozilla/readability';
import { parseHTML } from 'linkedom';
import { raisedMark } from '../../domain/page/raised.mjs';
import {
  isCollapsed,
  isUnseen,
  isZero,
  parseStyle,
  TEXT_PX_MIN,
  toPixels,
} from '../data/hidden-style.mjs';

/**
 * @typedef {object} DomNode - The part of a DOM node that is used here.
 * @property {number} nodeType
 * @property {string} tagName
 * @property {string} textContent
 * @property {readonly DomNode[]} childNodes
 * @property {readonly DomNode[]} children
 * @property {DomNode | null} nextSibling
 * @property {DomNode | null} previousElementSibling
 * @property {string} id
 * @property {() => void} remove
 * @property {(text: string) => void} prepend
 * @property {(text: string) => void} append
 * @property {(isDeep: boolean) => DomNode} cloneNode
 * @property {(selector: string) => boolean} matches
 * @property {(selector: string) => DomNode | null} querySelector
 * @property {(selector: string) => Iterable<DomNode>} querySelectorAll
 * @property {(name: string) => string | null} getAttribute
 * @property {(name: string, value: string) => void} setAttribute
 * @property {(name: string) => void} removeAttribute
 * @property {(name: string) => boolean} hasAttribute
 *
 * @typedef {DomNode & { body: DomNode | null, documentElement: DomNode | null }} DomDocument
 *
 * @typedef {object} Page
 * @property {string} html
 * @property {string} url - Its address; links are relative to it.
 * @property {number} linksMax - Most links that are returned.
 * @property {number} charsMax - Most characters of text that are returned.
 */

const TEXT_NODE = 3;
const COMMENT_NODE = 8;
const ELEMENT_NODE = 1;
const BLOCKS = new Set(
  (
    'P DIV SECTION ARTICLE H1 H2 H3 H4 H5 H6 LI UL OL TR TABLE BLOCKQUOTE PRE FIGURE FIGCAPTION ' +
    'HEADER FOOTER MAIN ASIDE DL DT DD HR CAPTION THEAD TBODY TFOOT DETAILS SUMMARY NAV FORM ' +
    'FIELDSET LEGEND ADDRESS OPTION BUTTON'
  ).split(' '),
);
const CONTROL = '[aria-controls][aria-expanded],[role=tab][aria-controls]';
const HANDLE = 'button,summary,[aria-expanded],[role=button],[role=tab]';
/** Placeholders for line ends and spaces of code, until lines of prose are trimmed. */
const LINE = '\u0001';
const SPACE = '\u0002';
const EDGES = new RegExp(`^(?:${SPACE}*${LINE})+|[${LINE}${SPACE}]+$`, 'g');
const CELL_CHARS_MAX = 200;

/**
 * Extracts the readable text of a page.
 *
 * @param {Page} page
 * @returns The text and metadata, or `null` if the page cannot be parsed.
 */
export function extractPage(page) {
  try {
    return readPage(page);
  } catch {
    return null;
  }
}

/** @param {Page} page */
function readPage({ html, url, linksMax, charsMax }) {
  const isWhole = /<html[\s>]/i.test(html) && /<body[\s>]/i.test(html);
  const document = parseDocument(isWhole ? html : toWholePage(html));
  const counts = stripHidden(document);
  const title = shorten(document.querySelector('title')?.textContent);
  const lang = shorten(document.documentElement?.getAttribute('lang'));
  const body = document.body?.cloneNode(true) ?? document.documentElement;
  const article = new Readability(/** @type {never} */ (document), { charThreshold: 200 }).parse();
  const content = (article?.length ?? 0) > 0 ? article?.content : undefined;
  const isFound = typeof content === 'string';
  const root = isFound ? parseDocument(toWholePage(content)).body : body;
  return {
    engine: isFound ? 'readability' : 'body',
    title: shorten(article?.title) ?? title,
    byline: shorten(article?.byline),
    publishedAt: shorten(article?.publishedTime),
    lang,
    text: root === null ? '' : readText(root).slice(0, charsMax),
    links: root === null ? [] : readLinks(root, url, linksMax),
    ...counts,
  };
}

/**
 * @param {string} html
 * @returns {DomDocument}
 */
function parseDocument(html) {
  return /** @type {never} */ (parseHTML(html).document);
}

/**
 * The parser adds no missing elements and finds no text outside a body.
 *
 * @param {string} inner
 */
function toWholePage(inner) {
  return `<!doctype html><html><head></head><body>${inner}</body></html>`;
}

/** @param {unknown} value */
function shorten(value) {
  return typeof value === 'string' && value.trim() !== '' ? value.trim().slice(0, 500) : null;
}

/**
 * Finds panels that a reader can open: a control with a text names them.
 *
 * @param {DomDocument} document
 */
function findPanels(document) {
  const panels = new Set();
  for (const control of document.querySelectorAll(CONTROL)) {
    if (control.textContent.trim() === '') continue;
    for (const id of (control.getAttribute('aria-controls') ?? '').split(/\s+/)) panels.add(id);
  }
  return panels;
}

/**
 * Detects an accordion panel: collapsed by height, directly after the control that opens it.
 *
 * @param {DomNode} element
 * @param {import('../data/hidden-style.mjs').Style} style
 */
function isBehindHandle(element, style) {
  const before = element.previousElementSibling;
  return (
    isCollapsed(style) &&
    before !== null &&
    (before.matches(HANDLE) || before.querySelector(HANDLE) !== null)
  );
}

/**
 * Returns whether an element has a readable text size of its own.
 *
 * @param {DomNode} element
 */
function isSized(element) {
  const size = parseStyle(element.getAttribute('style') ?? '').get('font-size') ?? '';
  return !/em$|%$/.test(size.replace(/rem$/, 'px')) && (toPixels(size) ?? 0) >= TEXT_PX_MIN;
}

/**
 * Removes text of size zero. Nested elements with a size of their own stay visible.
 *
 * @param {DomNode} element
 */
function dropUnsized(element) {
  let dropped = false;
  for (const child of [...element.childNodes]) {
    if (child.nodeType === TEXT_NODE && child.textContent.trim() !== '') {
      dropped = true;
      child.remove();
    } else if (child.nodeType === ELEMENT_NODE && !isSized(child) && dropUnsized(child)) {
      dropped = true;
    }
  }
  return dropped;
}

/**
 * Removes everything that no reader can see, and marks footnotes.
 *
 * @param {DomDocument} document
 */
function stripHidden(document) {
  let hiddenElements = 0;
  const panels = findPanels(document);
  for (const element of [...document.querySelectorAll('*')]) {
    if (['HTML', 'BODY', 'HEAD'].includes(element.tagName)) continue;
    if (['style', 'hidden', 'aria-hidden'].some((name) => element.hasAttribute(name))) {
      hiddenElements += stripElement(element, panels);
    }
  }
  markFootnotes(document);
  const comments = dropComments(document);
  for (const element of [...document.querySelectorAll('script,style,noscript,template')]) {
    const isMeta = element.getAttribute('type') === 'application/ld+json';
    if (!isMeta) element.remove();
  }
  return { hiddenElements, comments };
}

/**
 * @param {DomNode} element
 * @param {ReadonlySet<string>} panels
 * @returns The number of hidden elements, 0 to 2.
 */
function stripElement(element, panels) {
  let hidden = 0;
  const style = parseStyle(element.getAttribute('style') ?? '');
  const isOpened = panels.has(element.id) || isBehindHandle(element, style);
  if (isZero(style.get('font-size')) && element.children.length > 0) {
    if (dropUnsized(element)) hidden += 1;
    style.delete('font-size');
    element.setAttribute('style', [...style].map((one) => one.join(':')).join(';'));
  }
  if (isUnseen((name) => element.getAttribute(name), isOpened)) {
    element.remove();
    return hidden + 1;
  }
  // Readability has its own rules for these attributes.
  element.removeAttribute('hidden');
  element.removeAttribute('style');
  if (isOpened) element.removeAttribute('aria-hidden');
  return hidden;
}

/**
 * Marks footnotes, which are not exponents, before Readability removes classes.
 *
 * @param {DomDocument} document
 */
function markFootnotes(document) {
  for (const raised of document.querySelectorAll('sup')) {
    const isNote =
      raised.querySelector('a') !== null ||
      /note|reference|cite/i.test(raised.getAttribute('class') ?? '');
    if (isNote && /^[^[].*[^\]]$|^[^[]$/.test(raised.textContent.trim())) {
      raised.prepend('[');
      raised.append(']');
    }
  }
}

/**
 * @param {DomNode} node
 * @returns {number}
 */
function dropComments(node) {
  let comments = 0;
  for (const child of [...node.childNodes]) {
    if (child.nodeType === COMMENT_NODE) {
      comments += 1;
      child.remove();
    } else comments += dropComments(child);
  }
  return comments;
}

/**
 * Formats raised and lowered text on one line: 10^6, x_1, H2O, 1st, a note as [12].
 *
 * @param {DomNode} node
 * @param {readonly string[]} pieces
 */
function formatRaised(node, pieces) {
  const text = node.textContent.replace(/\s+/g, ' ').trim();
  const next = node.nextSibling?.nodeType === TEXT_NODE ? node.nextSibling.textContent : '';
  const before = pieces.slice(-2).join('').slice(-2);
  if (/^\[.*\]$/.test(text)) return text;
  // A fraction: its numerator is not an exponent.
  if (/^\s*[/\u2044]/.test(next)) return (/\p{N}$/u.test(before) ? ' ' : '') + text;
  const mark = raisedMark(node.tagName, before, text);
  if (mark === '') return text;
  return mark + addBrackets(text) + (/^[\p{L}\p{N}]/u.test(next) ? ' ' : '');
}

/** @param {string} text */
function addBrackets(text) {
  return /^[+\u2212-]?[\p{L}\p{N}.,]+$/u.test(text) ? text : `(${text})`;
}

/** @param {DomNode} node */
function readFormula(node) {
  const note = node.querySelector('annotation[encoding*=tex]');
  return note === null ? undefined : ` ${note.textContent.replace(/\s+/g, ' ').trim()} `;
}

/** @param {DomNode} root */
function readText(root) {
  return readPieces(root)
    .join('')
    .split('\n')
    .map((line) => line.replace(/ {2,}/g, ' ').trim())
    .map((line) => line.replace(EDGES, ''))
    .filter((line) => line !== '')
    .join('\n\n')
    .replaceAll(LINE, '\n')
    .replaceAll(SPACE, ' ');
}

/**
 * @param {DomNode} root
 * @returns {string[]}
 */
function readPieces(root) {
  /** @type {string[]} */
  const pieces = [];
  for (const child of root.childNodes) {
    addPieces(pieces, child, root.tagName?.toUpperCase() === 'PRE');
  }
  return pieces;
}

/**
 * @param {string[]} pieces - The pieces so far; those of the node are added.
 * @param {DomNode} node
 * @param {boolean} isCode
 */
function addPieces(pieces, node, isCode) {
  if (node.nodeType === TEXT_NODE) {
    pieces.push(formatTextNode(node.textContent, isCode));
    return;
  }
  const tag = node.tagName?.toUpperCase();
  if (node.nodeType !== ELEMENT_NODE || tag === 'SCRIPT' || tag === 'STYLE') return;
  const inline = readInline(node, tag, { pieces, isCode });
  if (inline !== undefined) {
    pieces.push(inline);
    return;
  }
  const addEdge = () => {
    if (isCode && [LINE, '\n'].includes(lastCharacter(pieces))) return;
    if (BLOCKS.has(tag)) pieces.push(isCode ? LINE : '\n');
  };
  addEdge();
  for (const child of node.childNodes) addPieces(pieces, child, isCode || tag === 'PRE');
  addEdge();
}

/**
 * Returns the text of an element that is read as a whole; `undefined` for others.
 *
 * @param {DomNode} node
 * @param {string} tag
 * @param {{ pieces: readonly string[], isCode: boolean }} place
 */
function readInline(node, tag, { pieces, isCode }) {
  if (tag === 'SUP' || tag === 'SUB') return formatRaised(node, pieces);
  if (tag === 'MATH') return readFormula(node);
  if (tag === 'BR') return isCode ? LINE : '\n';
  return tag === 'TD' || tag === 'TH' ? `${readCell(node)}\t` : undefined;
}

/**
 * @param {string} text
 * @param {boolean} isCode
 */
function formatTextNode(text, isCode) {
  const plain = text.replaceAll(LINE, '').replaceAll(SPACE, '');
  if (!isCode) return plain.replace(/\s+/g, ' ');
  return plain.replace(/\r\n?|\n/g, LINE).replaceAll(' ', SPACE);
}

/** @param {readonly string[]} pieces */
function lastCharacter(pieces) {
  return pieces.findLast((piece) => piece !== '')?.at(-1) ?? '\n';
}

/**
 * Joins a short table cell to one line. Cells of a layout table keep their blocks.
 *
 * @param {DomNode} cell
 */
function readCell(cell) {
  const text = readPieces(cell).join('').trim();
  return text.length <= CELL_CHARS_MAX && !text.includes(LINE) ? text.replace(/\s+/g, ' ') : text;
}

/**
 * @param {DomNode} root
 * @param {string} url
 * @param {number} linksMax
 */
function readLinks(root, url, linksMax) {
  const found = new Map();
  for (const anchor of root.querySelectorAll('a[href]')) {
    if (found.size >= linksMax) break;
    const href = anchor.getAttribute('href') ?? '';
    if (!URL.canParse(href, url)) continue;
    const address = new URL(href, url);
    if (!/^https?:$/.test(address.protocol) || found.has(address.href)) continue;
    const text = anchor.textContent.replace(/\s+/g, ' ').trim().slice(0, 200);
    found.set(address.href.slice(0, 2048), text);
  }
  return [...found].map(([address, text]) => ({ url: address, text }));
}
