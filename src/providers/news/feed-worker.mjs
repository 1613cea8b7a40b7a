// @ts-check
import '../data/silence-output.mjs';
import { parseFeed as parseFeedText } from 'feedsmith';
import { Parser } from 'htmlparser2';
import { raisedMark } from '../../domain/page/raised.mjs';
import { isUnseen } from '../data/hidden-style.mjs';

/**
 * @typedef {object} FeedTask
 * @property {string} text
 * @property {string} url - Its address; links are relative to it.
 * @property {FeedLimits} limits
 *
 * @typedef {object} FeedLimits
 * @property {number} depthMax - Most nested elements.
 * @property {number} elementsMax - Most elements.
 * @property {number} itemsMax - Most items that are returned.
 * @property {number} titleMax - Most characters of a title.
 * @property {number} textMax - Most characters of a summary.
 *
 * @typedef {{ hiddenElements: number }} Counts
 *
 * @typedef {object} Entry - The fields of an entry that are used, in every format of feeds.
 * @property {unknown} [link]
 * @property {unknown} [url]
 * @property {readonly { rel?: string, href?: string }[]} [links]
 * @property {{ value?: string, isPermaLink?: boolean }} [guid]
 * @property {{ about?: string }} [rdf]
 * @property {{ base?: unknown }} [xml]
 * @property {unknown} [title]
 * @property {unknown} [description]
 * @property {unknown} [summary]
 * @property {{ encoded?: unknown }} [content]
 * @property {unknown} [content_text]
 * @property {unknown} [content_html]
 * @property {unknown} [pubDate]
 * @property {unknown} [published]
 * @property {unknown} [updated]
 * @property {unknown} [date_published]
 * @property {unknown} [date_modified]
 * @property {{ dates?: readonly unknown[], date?: unknown }} [dc]
 *
 * @typedef {object} Feed
 * @property {readonly Entry[]} [items]
 * @property {readonly Entry[]} [entries]
 * @property {unknown} [language]
 * @property {{ base?: unknown, lang?: unknown }} [xml]
 * @property {{ languages?: readonly unknown[] }} [dc]
 */

const VOID = new Set('area base br col embed hr img input link meta source track wbr'.split(' '));
const INLINE = new Set('a abbr b bdi code em i mark q s small span strong sub sup u'.split(' '));
/** Characters that the guard's parser gets at once. */
const PIECE_CHARS = 65_536;
/** Most characters of markup that are read for one text. */
const MARKUP_CHARS_MAX = 20_000;
/** @type {Readonly<Record<string, string>>} */
const ZONES = {
  UT: '+0000',
  WET: '+0000',
  WEST: '+0100',
  BST: '+0100',
  CET: '+0100',
  CEST: '+0200',
  EET: '+0200',
  EEST: '+0300',
  MSK: '+0300',
  IST: '+0530',
  SGT: '+0800',
  HKT: '+0800',
  AWST: '+0800',
  JST: '+0900',
  KST: '+0900',
  AEST: '+1000',
  AEDT: '+1100',
  NZST: '+1200',
  NZDT: '+1300',
  SAST: '+0200',
  BRT: '-0300',
  AKST: '-0900',
  AKDT: '-0800',
  HST: '-1000',
};

class Refused extends Error {
  /**
   * @param {string} fault
   * @param {string} why
   */
  constructor(fault, why) {
    super(why);
    this.fault = fault;
  }
}

/**
 * Parses a feed. A guard scans it first: it limits depth and elements, rejects entity declarations
 * and requires a proper end.
 *
 * @param {FeedTask} task
 * @returns The items, or the fault.
 */
export function parseFeed({ text: sent, url, limits }) {
  try {
    checkFeed(sent, limits);
    const feed = /** @type {Feed} */ (parseFeedText(cutTail(sent)).feed);
    const counts = { hiddenElements: 0 };
    const entries = feed.items ?? feed.entries ?? [];
    const items = readItems(entries, innerBase(feed, url), { limits, counts });
    const lang = feed.language ?? feed.xml?.lang ?? feed.dc?.languages?.[0] ?? null;
    return { items, lang: typeof lang === 'string' ? lang.slice(0, 20) : null, ...counts };
  } catch (thrown) {
    if (thrown instanceof Refused) return { fault: thrown.fault, why: thrown.message };
    return { fault: 'upstream_bad_payload', why: 'The text cannot be parsed as a feed.' };
  }
}

/**
 * @param {string} text
 * @param {FeedLimits} limits
 */
function checkFeed(text, { depthMax, elementsMax }) {
  const start = text.slice(0, 4000).trimStart();
  if (start.startsWith('{')) {
    checkJson(text, depthMax);
    return;
  }
  if (!/<(?:[\w.-]+:)?(?:rss|feed|RDF)[\s>]/i.test(start)) {
    throw new Refused('upstream_bad_payload', 'Not a feed.');
  }
  if (/<!ENTITY/i.test(text)) {
    throw new Refused('upstream_bad_payload', 'Feeds that declare entities are not allowed.');
  }
  let depth = 0;
  let elements = 0;
  /** @type {Refused | undefined} */
  let refused;
  const onopentagname = () => {
    depth += 1;
    elements += 1;
    if (depth > depthMax) refused ??= new Refused('too_deep', 'Nested too deeply.');
    if (elements > elementsMax) refused ??= new Refused('too_large', 'Too many elements.');
    if (refused !== undefined) parser.pause();
  };
  const onclosetag = () => {
    depth -= 1;
  };
  const parser = new Parser({ onopentagname, onclosetag }, { xmlMode: true });
  for (let at = 0; at < text.length && refused === undefined; at += PIECE_CHARS) {
    parser.write(text.slice(at, at + PIECE_CHARS));
  }
  if (refused !== undefined) throw refused;
  parser.end();
}

/**
 * @param {string} text
 * @param {number} depthMax
 */
function checkJson(text, depthMax) {
  let depth = 0;
  for (const sign of text) {
    if (sign === '{' || sign === '[') depth += 1;
    if (sign === '}' || sign === ']') depth -= 1;
    if (depth > depthMax) throw new Refused('too_deep', 'Nested too deeply.');
  }
  try {
    JSON.parse(text);
  } catch {
    throw new Refused('upstream_bad_payload', 'Not valid JSON.');
  }
}

/**
 * Removes what a host appends after the end of a feed.
 *
 * @param {string} text
 */
function cutTail(text) {
  if (text.trimStart().startsWith('{')) return text;
  const end = [...text.matchAll(/<\/(?:[\w.-]+:)?(?:rss|feed|RDF)\s*>/gi)].at(-1);
  if (end === undefined) throw new Refused('upstream_bad_payload', 'The feed is cut off.');
  return text.slice(0, end.index + end[0].length);
}

/** @param {unknown} value */
function textIn(value) {
  if (typeof value === 'string') return value;
  const inner = /** @type {{ value?: unknown } | null | undefined} */ (value)?.value;
  return typeof inner === 'string' ? inner : '';
}

/**
 * Converts markup to plain text, without hidden elements.
 *
 * @param {string} html
 * @param {number} charsMax
 * @param {Counts} counts - Hidden elements are added to it.
 */
function toPlainText(html, charsMax, counts) {
  /** @type {string[]} */
  const pieces = [];
  let length = 0;
  /** @type {boolean[]} */
  const open = [];
  let hidden = 0;
  /** @type {string | undefined} */
  let raised;
  const parser = new Parser({
    onopentag: (name, attributes) => {
      const isHidden = isUnseen((one) => attributes[one] ?? null);
      if (isHidden) counts.hiddenElements += 1;
      if (VOID.has(name)) {
        pieces.push(' ');
        return;
      }
      const isLeftOut = isHidden || name === 'script' || name === 'style';
      open.push(isLeftOut);
      if (isLeftOut) hidden += 1;
      if (!INLINE.has(name)) pieces.push(' ');
      raised = name === 'sup' || name === 'sub' ? name : undefined;
    },
    onclosetag: (name) => {
      if (VOID.has(name)) return;
      if (open.pop() === true) hidden -= 1;
      if (!INLINE.has(name)) pieces.push(' ');
    },
    ontext: (text) => {
      if (hidden > 0 || length > charsMax * 4) return;
      if (raised !== undefined) {
        pieces.push(raisedMark(raised, pieces.slice(-2).join('').slice(-2), text.trim()));
      }
      raised = undefined;
      pieces.push(text);
      length += text.length;
    },
  });
  parser.write(html.slice(0, MARKUP_CHARS_MAX));
  parser.end();
  return pieces.join('').replace(/\s+/g, ' ').trim().slice(0, charsMax);
}

/** @param {Entry} item */
function findLink(item) {
  const link =
    item.links?.find(({ rel }) => (rel ?? 'alternate') === 'alternate') ?? item.links?.[0];
  const guid = item.guid?.isPermaLink === false ? undefined : item.guid?.value;
  const named = item.link ?? item.url ?? link?.href ?? item.rdf?.about ?? guid;
  return typeof named === 'string' ? named.trim() : '';
}

/**
 * Replaces zone names by offsets. A time without a zone is UTC, whatever this server's zone.
 *
 * @param {string} text
 */
function addZone(text) {
  const plain = text
    .replace(/\bSept\b/i, 'Sep')
    .replace(/\b([A-Z]{2,4})$/, (name) => ZONES[name] ?? name);
  // Day and month cannot be told apart here.
  if (/^\d{1,2}[/.]\d{1,2}[/.]/.test(plain)) return '';
  const hasZone =
    !/\b[AP]M$/i.test(plain) && /(?:[A-Z]|[+-]\d{2}:?\d{2}|GMT[+-]\d{1,2})$/i.test(plain);
  return hasZone || !/\d:\d/.test(plain) ? plain : plain + (/\dT\d/.test(plain) ? 'Z' : ' GMT');
}

/** @param {Entry} item */
function readDate(item) {
  const named = [
    item.pubDate,
    item.published,
    item.updated,
    item.date_published,
    item.date_modified,
    item.dc?.dates?.[0],
    item.dc?.date,
  ];
  const times = named.map((one) =>
    typeof one === 'string' ? Date.parse(addZone(one.trim())) : Number.NaN,
  );
  return times.find((at) => Number.isSafeInteger(at) && at > 0) ?? null;
}

/**
 * @param {Pick<Entry, 'xml'>} part
 * @param {string} base
 */
function innerBase(part, base) {
  const inner = part.xml?.base;
  return typeof inner === 'string' && URL.canParse(inner, base) ? new URL(inner, base).href : base;
}

/**
 * @param {readonly Entry[]} entries
 * @param {string} base
 * @param {{ limits: FeedLimits, counts: Counts }} options
 */
function readItems(entries, base, { limits, counts }) {
  const made = [];
  for (const item of entries.slice(0, limits.itemsMax)) {
    const href = findLink(item);
    const from = innerBase(item, base);
    if (href === '' || !URL.canParse(href, from)) continue;
    const url = new URL(href, from);
    const title = toPlainText(textIn(item.title), limits.titleMax, counts);
    if (!/^https?:$/.test(url.protocol) || title === '' || url.href.length > 2048) continue;
    const summary = toPlainText(readBody(item), limits.textMax, counts);
    made.push({ url: url.href, title, summary, publishedAt: readDate(item) });
  }
  return made;
}

/** @param {Entry} item */
function readBody(item) {
  const { description, summary, content, content_text, content_html } = item;
  const named = [description, summary, content, content_text, content_html, content?.encoded];
  return named.map(textIn).find((text) => text !== '') ?? '';
}
