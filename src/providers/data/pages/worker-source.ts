/** Links of a page that are given at the most. */
export const LINKS_MAX = 100;
/** Characters of text that a worker gives back at the most. */
export const TEXT_CHARS_MAX = 200_000;

/**
 * The program of the thread that takes pages apart, one after the other. It stands here as a text
 * because it runs apart from all else: it is given pages and the addresses of two packages, and
 * gives back texts, or `null` where a page cannot be read.
 */
export const WORKER_SOURCE = `
const { parentPort, workerData } = require('node:worker_threads');
const { packages, linksMax, charsMax } = workerData;
const ready = Promise.all([import(packages.linkedom), import(packages.readability)]);
const HIDDEN = [
  /display\\s*:\\s*none/i, /visibility\\s*:\\s*(hidden|collapse)/i,
  /opacity\\s*:\\s*0*(\\.0+)?\\s*(;|$)/i,
  /font-size\\s*:\\s*0/i, /(left|top|text-indent)\\s*:\\s*-\\d{3,}/i,
  /clip-path\\s*:\\s*inset\\(\\s*(50|100)%/i,
  /(^|;)\\s*(max-)?(height|width)\\s*:\\s*0(px)?\\s*(;|$)/i,
];
const BLOCKS = new Set(('P DIV SECTION ARTICLE H1 H2 H3 H4 H5 H6 LI UL OL TR TABLE BLOCKQUOTE ' +
  'PRE FIGURE FIGCAPTION HEADER FOOTER MAIN ASIDE DL DT DD HR').split(' '));
const isHidden = (element) =>
  element.hasAttribute('hidden') || element.getAttribute('aria-hidden') === 'true' ||
  HIDDEN.some((one) => one.test(element.getAttribute('style') ?? ''));
function strip(document) {
  let hiddenElements = 0;
  let comments = 0;
  for (const element of [...document.querySelectorAll('*')]) {
    if (!['HTML', 'BODY', 'HEAD'].includes(element.tagName) && isHidden(element)) {
      hiddenElements += 1;
      element.remove();
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
function textOf(root) {
  const pieces = [];
  const walk = (node) => {
    if (node.nodeType === 3) { pieces.push(node.textContent.replace(/\\s+/g, ' ')); return; }
    if (node.nodeType !== 1 || ['SCRIPT', 'STYLE'].includes(node.tagName)) return;
    const isBlock = BLOCKS.has(node.tagName);
    if (isBlock) pieces.push('\\n');
    if (node.tagName === 'BR') pieces.push('\\n');
    for (const child of node.childNodes) walk(child);
    if (isBlock) pieces.push('\\n');
  };
  walk(root);
  return pieces.join('').split('\\n').map((line) => line.trim()).filter((line) => line !== '')
    .join('\\n\\n').slice(0, charsMax);
}
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
// The parser adds no elements that are left out, and finds no text outside of a body.
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
