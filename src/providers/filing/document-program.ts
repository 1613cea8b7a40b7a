import { raisedMark } from '../../domain/page/raised.ts';

/** Most characters of a document that the program returns. */
export const DOCUMENT_CHARS_MAX = 3_000_000;

/**
 * The program of the thread that converts a filing document to lines of text. It reads the document
 * in one pass: filings have a hundred times the elements of a web page, which exceeds the page
 * extractor. Hidden elements and the XBRL header are omitted.
 */
export const DOCUMENT_PROGRAM = `
const { parentPort, workerData } = require('node:worker_threads');
const { body, parser: address, charsMax } = workerData;
const raisedMark = ${String(raisedMark)};
const BLOCKS = new Set(('p div section article h1 h2 h3 h4 h5 h6 li ul ol tr table blockquote ' +
  'pre hr br title').split(' '));
const VOIDS = new Set('area base br col embed hr img input link meta source track wbr'.split(' '));
const isLeftOut = (name, attributes) =>
  ['script', 'style', 'head', 'ix:header', 'ix:hidden', 'noscript'].includes(name) ||
  /display\\s*:\\s*none|visibility\\s*:\\s*hidden/i.test(attributes.style ?? '') ||
  attributes.hidden !== undefined;
function decoded() {
  try { return new TextDecoder('utf-8', { fatal: true }).decode(body); }
  catch { return new TextDecoder('windows-1252').decode(body); }
}
(async () => {
  const { Parser } = await import(address);
  const pieces = [];
  let chars = 0;
  let depth = 0;
  let leftOutAt = 0;
  let codeDepth = 0;
  let raised;
  let last = '';
  const add = (piece) => {
    chars += piece.length;
    if (chars <= charsMax) pieces.push(piece);
    last = (last + piece).slice(-2);
  };
  const parser = new Parser({
    onopentag: (name, attributes) => {
      if (VOIDS.has(name)) { if (BLOCKS.has(name)) add('\\n'); return; }
      depth += 1;
      if (leftOutAt === 0 && isLeftOut(name, attributes)) leftOutAt = depth;
      if (BLOCKS.has(name)) add('\\n');
      else if (name === 'td' || name === 'th') add(' ');
      if (name === 'pre') codeDepth += 1;
      raised = name === 'sup' || name === 'sub' ? name : undefined;
    },
    ontext: (text) => {
      if (leftOutAt > 0) return;
      if (raised !== undefined) add(raisedMark(raised, last, text.trim()));
      raised = undefined;
      add(codeDepth > 0 ? text : text.replace(/\\s+/g, ' '));
    },
    onclosetag: (name) => {
      if (VOIDS.has(name)) return;
      if (leftOutAt === depth) leftOutAt = 0;
      depth -= 1;
      if (name === 'pre') codeDepth -= 1;
      if (BLOCKS.has(name)) add('\\n');
    },
  });
  const document = decoded();
  // A document without markup has its own lines.
  if (!/<(html|body|p|div|pre)[\\s>]/i.test(document)) codeDepth = 1;
  parser.write(document);
  parser.end();
  const text = pieces.join('').split('\\n').map((line) => line.replace(/\\s+/g, ' ').trim())
    .filter((line) => line !== '').join('\\n');
  parentPort.postMessage(text.slice(0, charsMax));
})().catch(() => parentPort.postMessage(null));
`;
