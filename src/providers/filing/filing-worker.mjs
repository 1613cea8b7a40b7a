// @ts-check
import '../data/silence-output.mjs';
import { Parser } from 'htmlparser2';
import { raisedMark } from '../../domain/page/raised.mjs';

const BLOCKS = new Set(
  (
    'p div section article h1 h2 h3 h4 h5 h6 li ul ol tr table blockquote ' + 'pre hr br title'
  ).split(' '),
);
const VOIDS = new Set('area base br col embed hr img input link meta source track wbr'.split(' '));
const LEFT_OUT = new Set(['script', 'style', 'head', 'ix:header', 'ix:hidden', 'noscript']);

/**
 * Converts a filing document to lines of text. It reads the document in one pass: filings have a
 * hundred times the elements of a web page, which exceeds the page extractor. Hidden elements and
 * the XBRL header are omitted.
 *
 * @param {{ body: Uint8Array, charsMax: number }} task - `charsMax` limits the returned text.
 * @returns The text, or `null` if the document cannot be parsed.
 */
export function readDocument({ body, charsMax }) {
  try {
    return joinLines(readPieces(decode(body), charsMax)).slice(0, charsMax);
  } catch {
    return null;
  }
}

/** @param {Uint8Array} body */
function decode(body) {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    return new TextDecoder('windows-1252').decode(body);
  }
}

/**
 * @param {string} document
 * @param {number} charsMax
 */
function readPieces(document, charsMax) {
  /** @type {string[]} */
  const pieces = [];
  let chars = 0;
  let depth = 0;
  let leftOutAt = 0;
  // A document without markup has its own lines.
  let codeDepth = /<(html|body|p|div|pre)[\s>]/i.test(document) ? 0 : 1;
  /** @type {string | undefined} */
  let raised;
  let last = '';
  const add = (/** @type {string} */ piece) => {
    chars += piece.length;
    if (chars <= charsMax) pieces.push(piece);
    last = (last + piece).slice(-2);
  };
  const parser = new Parser({
    onopentag: (name, attributes) => {
      add(readEdge(name));
      if (VOIDS.has(name)) return;
      depth += 1;
      if (leftOutAt === 0 && isLeftOut(name, attributes)) leftOutAt = depth;
      if (name === 'pre') codeDepth += 1;
      raised = name === 'sup' || name === 'sub' ? name : undefined;
    },
    ontext: (text) => {
      if (leftOutAt > 0) return;
      if (raised !== undefined) add(raisedMark(raised, last, text.trim()));
      raised = undefined;
      add(codeDepth > 0 ? text : text.replace(/\s+/g, ' '));
    },
    onclosetag: (name) => {
      if (VOIDS.has(name)) return;
      if (leftOutAt === depth) leftOutAt = 0;
      depth -= 1;
      if (name === 'pre') codeDepth -= 1;
      if (BLOCKS.has(name)) add('\n');
    },
  });
  parser.write(document);
  parser.end();
  return pieces;
}

/**
 * Returns what separates an element from the text before it.
 *
 * @param {string} name
 */
function readEdge(name) {
  if (BLOCKS.has(name)) return '\n';
  return name === 'td' || name === 'th' ? ' ' : '';
}

/**
 * @param {string} name
 * @param {Readonly<Record<string, string>>} attributes
 */
function isLeftOut(name, attributes) {
  return (
    LEFT_OUT.has(name) ||
    /display\s*:\s*none|visibility\s*:\s*hidden/i.test(attributes['style'] ?? '') ||
    attributes['hidden'] !== undefined
  );
}

/** @param {readonly string[]} pieces */
function joinLines(pieces) {
  return pieces
    .join('')
    .split('\n')
    .map((line) => line.replace(/\s+/g, ' ').trim())
    .filter((line) => line !== '')
    .join('\n');
}

/**
 * @typedef {object} FactsTask
 * @property {Uint8Array} body
 * @property {readonly string[]} concepts - The tags that are returned.
 * @property {readonly string[]} accessions - The filings whose facts are returned.
 * @property {number} factsMax - Most facts that are returned.
 *
 * @typedef {'accn' | 'val' | 'start' | 'end' | 'filed' | 'form' | 'frame'} FactKey
 * @typedef {Partial<Record<FactKey, unknown>>} FactRow
 *
 * @typedef {{ units?: Record<string, readonly (FactRow | null)[]> }} Concept
 * @typedef {Record<string, Record<string, Concept>>} Taxonomies
 */

/**
 * Parses all tagged facts of a company, about 10 MB, and returns those of the requested filings and
 * tags. Values that a double cannot hold exactly are omitted.
 *
 * @param {FactsTask} task
 * @returns The facts, or `null` if the file cannot be parsed.
 */
export function readFacts({ body, concepts, accessions, factsMax }) {
  try {
    const { facts } = JSON.parse(new TextDecoder().decode(body));
    if (facts === null || typeof facts !== 'object') return null;
    const wanted = new Set(accessions);
    const found = [];
    for (const { concept, unit, row } of listRows(/** @type {Taxonomies} */ (facts), concepts)) {
      const fact = wanted.has(/** @type {string} */ (row?.accn)) ? toFact(row ?? {}) : undefined;
      if (fact !== undefined) found.push({ concept, unit, ...fact });
      if (found.length >= factsMax) break;
    }
    return found;
  } catch {
    return null;
  }
}

/**
 * @param {Taxonomies} taxonomies
 * @param {readonly string[]} concepts
 */
function* listRows(taxonomies, concepts) {
  for (const taxonomy of ['us-gaap', 'ifrs-full']) {
    for (const concept of concepts) {
      const units = taxonomies[taxonomy]?.[concept]?.units ?? {};
      for (const [unit, rows] of Object.entries(units)) {
        if (!Array.isArray(rows)) throw new TypeError('rows are a list');
        for (const row of rows) yield { concept, unit, row };
      }
    }
  }
}

/** @param {FactRow} row */
function toFact({ accn, val, start, end, filed, form, frame }) {
  const value = formatExact(val);
  const isSound =
    value !== undefined &&
    isDay(end) &&
    isDay(filed) &&
    (start === undefined || isDay(start)) &&
    typeof form === 'string';
  if (!isSound) return undefined;
  return {
    start: start ?? null,
    end,
    value,
    accession: accn,
    form,
    filed,
    frame: typeof frame === 'string' ? frame : null,
  };
}

/** @param {unknown} value */
function isDay(value) {
  return typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value);
}

/** @param {unknown} value */
function formatExact(value) {
  if (typeof value !== 'number' || !Number.isFinite(value)) return undefined;
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) return undefined;
  const text = String(value);
  return /^-?\d{1,30}(\.\d{1,18})?$/.test(text) ? text : undefined;
}
