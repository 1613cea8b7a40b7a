// What the data tools add to what they read. Needs `npm run build`; everything is on loopback.
//   node bench/data-tools.mjs [--rounds 100]
// reading   a ticker of an upstream that takes 5 ms: our reader (pace, circuit, cache, guard of
//           addresses, hash, envelope of its source) beside Node's fetch, read by read
// pages     articles taken apart in threads, beside the same libraries on the main thread
// hostile   the longest time that the main thread stood still while hostile pages were read
// news      60 feeds at 60 hosts, beside fetch and the same parser on the main thread
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Readability } from '@mozilla/readability';
import { parseFeed } from 'feedsmith';
import { parseHTML } from 'linkedom';
import { article, HOSTILE_PAGES, loopback } from './data-tools/loopback.mjs';
import { fromDist } from './lib/dist.mjs';
import { openRows, say } from './lib/output.mjs';
import { fixed, median, percentile, table } from './lib/stats.mjs';

const { createUpstreamReader } = await fromDist('providers/data/upstream-reader.js');
const { createFeedReader } = await fromDist('providers/news/feed-reader.js');
const { PageExtractor } = await fromDist('providers/page/extract.js');
const { createEgress } = await fromDist('providers/net/egress.js');
const { systemClock } = await fromDist('runtime/timer/clock.js');

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '100' } } });
const ROUNDS = Number(values.rounds);
const UPSTREAM_MS = 5;
/** A little over the pace of the upstream that is read, so that no read waits for its turn. */
const APART_MS = 130;
const PAGES = 60;
const FEEDS = 60;
const SCANS = 5;

const clock = systemClock();
const { add } = openRows('data-tools');
const server = await loopback(UPSTREAM_MS);
const hosts = Array.from({ length: FEEDS }, (_, at) => `127.0.0.${at + 1}:${server.port}`);
const egress = createEgress({ clock, userAgent: 'stoa/bench', allowHosts: hosts });
try {
  say(await readings());
  say(await pages());
  say(await hostile());
  say(await news());
} finally {
  await egress.close();
  server.close();
}

async function readings() {
  const baseUrl = `http://${hosts[0]}`;
  const random = { bytes: (length) => new Uint8Array(length) };
  const reader = createUpstreamReader({ egress, clock, random, baseUrls: { binance: baseUrl } });
  const parse = (answer) => ({ value: answer.json() });
  const ours = async (at) => {
    const path = `/ticker?n=${at}`;
    const deadline = clock.now() + 10_000;
    const reading = await reader.read({ upstream: 'binance', path, deadline }, parse);
    if (!reading.ok) throw new Error(JSON.stringify(reading.fault));
  };
  const bare = async (at) => (await fetch(`${baseUrl}/ticker?n=${at}`)).json();
  const times = { ours: [], bare: [] };
  for (let at = 0; at < ROUNDS + 5; at += 1) {
    const row = {
      leg: 'reading',
      ours: await timed(() => ours(at)),
      bare: await timed(() => bare(at)),
    };
    await sleep(APART_MS);
    if (at < 5) continue;
    add(row);
    for (const who of ['ours', 'bare']) times[who].push(row[who]);
  }
  const row = (name, all) => [name, fixed(median(all), 2), fixed(percentile(all, 0.99), 2)];
  const added = times.ours.map((ms, at) => ms - times.bare[at]);
  return table(
    ['one reading', 'median ms', 'p99 ms'],
    [row('fetch', times.bare), row('stoa', times.ours), row('added', added)],
  );
}

async function pages() {
  const html = article(40);
  const extractor = new PageExtractor(clock);
  const bare = () => {
    const { document } = parseHTML(html);
    if (!new Readability(document).parse()?.textContent) throw new Error('no text');
  };
  const ours = async () => {
    const made = await extractor.extract(html, 'https://example.org/');
    if (!('value' in made)) throw new Error(made.why);
  };
  const bareMs = await timed(() => {
    for (let at = 0; at < PAGES; at += 1) bare();
  });
  const oursMs = await timed(async () => {
    for (let at = 0; at < PAGES; at += 2) await Promise.all([ours(), ours()]);
  });
  add({ leg: 'pages', bareMs, oursMs, pages: PAGES });
  const rate = (ms) => fixed(PAGES / (ms / 1_000), 1);
  return table(
    ['pages of 40 paragraphs', 'pages a second'],
    [
      ['the libraries on the main thread', rate(bareMs)],
      ['stoa, a thread for each page, two at once', rate(oursMs)],
    ],
  );
}

async function hostile() {
  const extractor = new PageExtractor(clock);
  const lines = [];
  for (const [name, html] of Object.entries(HOSTILE_PAGES)) {
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    await sleep(20);
    delay.reset();
    const ms = await timed(() => extractor.extract(html, 'https://example.org/'));
    delay.disable();
    const stallMs = delay.max / 1e6;
    add({ leg: 'hostile', name, ms, stallMs });
    lines.push([name, fixed(ms, 0), fixed(stallMs, 0)]);
  }
  return table(['hostile page', 'ms until its end', 'longest stall of the main thread, ms'], lines);
}

async function news() {
  const times = { ours: [], bare: [] };
  for (let at = 0; at < SCANS; at += 1) {
    const feeds = hosts.map((host, place) => feedAt(host, `${at}-${place}`));
    const reader = createFeedReader({ egress, clock, feeds });
    const ours = await timed(() => Promise.all(feeds.map((feed) => readOne(reader, feed))));
    const bare = await timed(() => Promise.all(feeds.map(({ feedUrl }) => parseOne(feedUrl))));
    add({ leg: 'news', ours, bare });
    times.ours.push(ours);
    times.bare.push(bare);
  }
  return table(
    [`${FEEDS} feeds of 30 items`, 'median ms'],
    [
      ['fetch and the same parser, on the main thread', fixed(median(times.bare), 0)],
      ['stoa', fixed(median(times.ours), 0)],
    ],
  );
}

function feedAt(host, mark) {
  const facts = {
    lang: 'en',
    country: 'US',
    category: 'world',
    paywall: false,
    lastVerified: null,
  };
  return { ...facts, domain: host, feedUrl: `http://${host}/feed?${mark}` };
}

async function readOne(reader, feed) {
  const reading = await reader.read(feed, clock.now() + 60_000);
  if (!reading.ok) throw new Error(JSON.stringify(reading.fault));
}

async function parseOne(url) {
  const { feed } = parseFeed(await (await fetch(url)).text());
  if (feed.items.length !== 30) throw new Error('items are missing');
}

async function timed(run) {
  const from = performance.now();
  await run();
  return performance.now() - from;
}
