import { raisedMark } from '../../domain/page/raised.ts';
import { HIDDEN_STYLE_SOURCE } from '../data/hidden-style.ts';

/**
 * Most nested elements of a feed. Typical feeds have about 10 levels, with embedded pages about 40.
 */
export const FEED_DEPTH_MAX = 128;
/** Most elements of a feed. Typical feeds have about 3,000. */
export const FEED_ELEMENTS_MAX = 60_000;

/**
 * The program of the thread that parses feeds one by one. It is a string because it runs isolated
 * from all other modules. A guard scans each feed before the parser does. It limits depth and
 * elements, rejects entity declarations and requires a proper end.
 */
export const FEED_WORKER_SOURCE = `
const { parentPort, workerData } = require('node:worker_threads');
const { packages, depthMax, elementsMax, itemsMax, titleMax, textMax } = workerData;
const ready = Promise.all([import(packages.feedsmith), import(packages.htmlparser2)]);
${HIDDEN_STYLE_SOURCE}
const raisedMark = ${String(raisedMark)};
const VOID = new Set('area base br col embed hr img input link meta source track wbr'.split(' '));
const INLINE = new Set('a abbr b bdi code em i mark q s small span strong sub sup u'.split(' '));
const PIECE = 65536;
class Refused extends Error {
  constructor(fault, why) { super(why); this.fault = fault; }
}
function guard(Parser, text) {
  const start = text.slice(0, 4000).trimStart();
  if (start.startsWith('{')) {
    guardJson(text);
    return;
  }
  if (!/<(?:[\\w.-]+:)?(?:rss|feed|RDF)[\\s>]/i.test(start)) {
    throw new Refused('upstream_bad_payload', 'Not a feed.');
  }
  if (/<!ENTITY/i.test(text)) {
    throw new Refused('upstream_bad_payload', 'Feeds that declare entities are not allowed.');
  }
  let depth = 0;
  let elements = 0;
  let refused;
  const parser = new Parser({
    onopentagname: () => {
      depth += 1;
      elements += 1;
      if (depth > depthMax) refused ??= new Refused('too_deep', 'Nested too deeply.');
      if (elements > elementsMax) refused ??= new Refused('too_large', 'Too many elements.');
      if (refused !== undefined) parser.pause();
    },
    onclosetag: () => { depth -= 1; },
  }, { xmlMode: true });
  for (let at = 0; at < text.length && refused === undefined; at += PIECE) {
    parser.write(text.slice(at, at + PIECE));
  }
  if (refused !== undefined) throw refused;
  parser.end();
}
/** Removes what a host appends after the end of a feed. */
function withoutTail(text) {
  if (text.trimStart().startsWith('{')) return text;
  const end = [...text.matchAll(/<\\/(?:[\\w.-]+:)?(?:rss|feed|RDF)\\s*>/gi)].at(-1);
  if (end === undefined) throw new Refused('upstream_bad_payload', 'The feed is cut off.');
  return text.slice(0, end.index + end[0].length);
}
function guardJson(text) {
  let depth = 0;
  for (const sign of text) {
    if (sign === '{' || sign === '[') depth += 1;
    if (sign === '}' || sign === ']') depth -= 1;
    if (depth > depthMax) throw new Refused('too_deep', 'Nested too deeply.');
  }
  try { JSON.parse(text); } catch { throw new Refused('upstream_bad_payload', 'Not valid JSON.'); }
}
const textIn = (value) => {
  if (typeof value === 'string') return value;
  return typeof value?.value === 'string' ? value.value : '';
};
function plain(Parser, html, most, counts) {
  const pieces = [];
  let length = 0;
  const open = [];
  let hidden = 0;
  let raised;
  const parser = new Parser({
    onopentag: (name, attributes) => {
      const isHidden = isUnseen((one) => attributes[one] ?? null);
      if (isHidden) counts.hiddenElements += 1;
      if (VOID.has(name)) { pieces.push(' '); return; }
      const isLeft = isHidden || name === 'script' || name === 'style';
      open.push(isLeft);
      if (isLeft) hidden += 1;
      if (!INLINE.has(name)) pieces.push(' ');
      raised = name === 'sup' || name === 'sub' ? name : undefined;
    },
    onclosetag: (name) => {
      if (VOID.has(name)) return;
      if (open.pop() === true) hidden -= 1;
      if (!INLINE.has(name)) pieces.push(' ');
    },
    ontext: (text) => {
      if (hidden > 0 || length > most * 4) return;
      if (raised !== undefined) {
        pieces.push(raisedMark(raised, pieces.slice(-2).join('').slice(-2), text.trim()));
      }
      raised = undefined;
      pieces.push(text);
      length += text.length;
    },
  });
  parser.write(html.slice(0, 20000));
  parser.end();
  return pieces.join('').replace(/\\s+/g, ' ').trim().slice(0, most);
}
function linkOf(item) {
  const isMain = (one) => (one.rel ?? 'alternate') === 'alternate';
  const link = item.links?.find(isMain) ?? item.links?.[0];
  const guid = item.guid?.isPermaLink === false ? undefined : item.guid?.value;
  const named = item.link ?? item.url ?? link?.href ?? item.rdf?.about ?? guid;
  return typeof named === 'string' ? named.trim() : '';
}
const ZONES = {
  UT: '+0000', WET: '+0000', WEST: '+0100', BST: '+0100', CET: '+0100', CEST: '+0200',
  EET: '+0200', EEST: '+0300', MSK: '+0300', IST: '+0530', SGT: '+0800', HKT: '+0800',
  AWST: '+0800', JST: '+0900', KST: '+0900', AEST: '+1000', AEDT: '+1100', NZST: '+1200',
  NZDT: '+1300', SAST: '+0200', BRT: '-0300', AKST: '-0900', AKDT: '-0800', HST: '-1000',
};
/** Replaces zone names by offsets. A time without a zone is UTC, whatever this server's zone. */
function zoned(text) {
  const plain = text.replace(/\\bSept\\b/i, 'Sep')
    .replace(/\\b([A-Z]{2,4})$/, (name) => ZONES[name] ?? name);
  // Day and month cannot be told apart here.
  if (/^\\d{1,2}[\\/.]\\d{1,2}[\\/.]/.test(plain)) return '';
  const hasZone = !/\\b[AP]M$/i.test(plain) &&
    /(?:[A-Z]|[+-]\\d{2}:?\\d{2}|GMT[+-]\\d{1,2})$/i.test(plain);
  return hasZone || !/\\d:\\d/.test(plain) ? plain : plain + (/\\dT\\d/.test(plain) ? 'Z' : ' GMT');
}
function dateOf(item) {
  const named = [item.pubDate, item.published, item.updated, item.date_published,
    item.date_modified, item.dc?.dates?.[0], item.dc?.date];
  const times = named.map((one) => typeof one === 'string' ? Date.parse(zoned(one.trim())) : NaN);
  return times.find((at) => Number.isSafeInteger(at) && at > 0) ?? null;
}
const innerBase = (part, base) =>
  typeof part.xml?.base === 'string' && URL.canParse(part.xml.base, base)
    ? new URL(part.xml.base, base).href : base;
function itemsOf(Parser, entries, base, counts) {
  const made = [];
  for (const item of entries.slice(0, itemsMax)) {
    const href = linkOf(item);
    const from = innerBase(item, base);
    if (href === '' || !URL.canParse(href, from)) continue;
    const url = new URL(href, from);
    const title = plain(Parser, textIn(item.title), titleMax, counts);
    if (!/^https?:$/.test(url.protocol) || title === '' || url.href.length > 2048) continue;
    const body = textIn(item.description) || textIn(item.summary) || textIn(item.content) ||
      textIn(item.content_text) || textIn(item.content_html) || textIn(item.content?.encoded);
    const summary = plain(Parser, body, textMax, counts);
    made.push({ url: url.href, title, summary, publishedAt: dateOf(item) });
  }
  return made;
}
parentPort.on('message', async ({ text: sent, url }) => {
  try {
    const [{ parseFeed }, { Parser }] = await ready;
    guard(Parser, sent);
    const text = withoutTail(sent);
    const { feed } = parseFeed(text);
    const entries = feed.items ?? feed.entries ?? [];
    const counts = { hiddenElements: 0 };
    const items = itemsOf(Parser, entries, innerBase(feed, url), counts);
    const lang = feed.language ?? feed.xml?.lang ?? feed.dc?.languages?.[0] ?? null;
    const named = typeof lang === 'string' ? lang.slice(0, 20) : null;
    parentPort.postMessage({ items, lang: named, ...counts });
  } catch (thrown) {
    const fault = thrown instanceof Refused ? thrown.fault : 'upstream_bad_payload';
    const why = thrown instanceof Refused ? thrown.message : 'The text cannot be parsed as a feed.';
    parentPort.postMessage({ fault, why });
  }
});
`;
