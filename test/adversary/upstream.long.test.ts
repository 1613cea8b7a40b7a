import { afterAll, beforeAll, expect, test } from 'vitest';
import { ERRORS } from '../../src/domain/common/error.ts';
import { createGleifRegistry } from '../../src/providers/company/gleif.ts';
import { createNorwayRegistry } from '../../src/providers/company/norway.ts';
import { createUpstreamReader } from '../../src/providers/data/upstream-reader.ts';
import { UPSTREAMS } from '../../src/providers/data/upstreams.ts';
import { createDexPools } from '../../src/providers/market/dex/dex-pools.ts';
import { createEgress } from '../../src/providers/net/egress.ts';
import { createFeedReader } from '../../src/providers/news/feed-reader.ts';
import { createPageReader } from '../../src/providers/page/page-reader.ts';
import { createCrossrefSearch } from '../../src/providers/research/crossref.ts';
import { createHackerNewsSearch } from '../../src/providers/research/hackernews.ts';
import { createWikipediaSearch } from '../../src/providers/research/wikipedia.ts';
import { createPublicChannels } from '../../src/providers/sentiment/public-channels.ts';
import {
  type HostileAnswer,
  type HostileHost,
  hostileAnswer,
  startHostileHost,
} from '../support/hostile-answers.ts';
import { startLoopMeter } from '../support/loop-meter.ts';
import { realClock } from '../support/real-clock.ts';
import { type Attempt, search, searchMs } from './search.ts';

/** Time of one reading, in milliseconds; what hangs is ended by it. */
const READ_MS = 400;
/** Different answers of one attempt, in turn. */
const ANSWERS = 8;
const LIMIT_MS = searchMs() + 60_000;

let host: HostileHost;
beforeAll(async () => {
  host = await startHostileHost();
});
afterAll(async () => await host.close());

/** Honest answers, of which an attempt may send a part. */
const TEXTS = [
  '{"status":"ok","message":{"items":[{"DOI":"10.1/x","title":["t"],"abstract":"<p>a</p>"}]}}',
  '{"hits":[{"objectID":"1","title":"t","url":"http://x.example","created_at":"2026-01-01T00:00:00Z"}]}',
  '{"query":{"pages":[{"title":"t","extract":"e"}]}}',
  '[{"chainId":"base","pairAddress":"0x1","priceUsd":"1e400","liquidity":{"usd":-1}}]',
  '<rss version="2.0"><channel><title>t</title><item><title>x</title></item></channel></rss>',
  '<!doctype html><title>t</title><article><p>Some text of a page.</p></article>',
  'User-agent: *\nDisallow: /x\nCrawl-delay: 1e9\n',
];

test('whatever an upstream answers, readers answer with a value or a fault, in time', {
  timeout: LIMIT_MS,
}, async () => {
  await search('upstream', readOnce, { roundsMin: 20 });
});

async function readOnce(attempt: Attempt): Promise<void> {
  // Made before anything is measured: to make them takes longer than to read them.
  const answers = Array.from({ length: ANSWERS }, () => hostileAnswer(attempt, TEXTS));
  let asked = 0;
  host.answer(() => {
    asked += 1;
    return answers[asked % ANSWERS] as HostileAnswer;
  });
  const egress = createEgress({
    clock: realClock,
    userAgent: 'stoa-test',
    allowHosts: [`127.0.0.1:${host.port}`],
  });
  const meter = startLoopMeter();
  const begun = performance.now();
  try {
    await Promise.all(readings(egress).map((reading) => checkReading(reading)));
  } finally {
    await egress.close();
  }
  const { longestCpuMs, grownBytes } = meter.stop();
  expect(longestCpuMs, 'a turn of the event loop').toBeLessThan(1_000);
  expect(grownBytes, 'memory').toBeLessThan(400_000_000);
  expect(performance.now() - begun, 'all readings').toBeLessThan(60_000);
}

/** Several real readers at once, each at the same host. */
function readings(egress: ReturnType<typeof createEgress>): readonly (() => Promise<unknown>)[] {
  const { url } = host;
  const baseUrls = Object.fromEntries(Object.keys(UPSTREAMS).map((id) => [id, url]));
  const random = { bytes: (length: number) => new Uint8Array(length) };
  const contact = 'operator@example.org';
  const parts = { egress, clock: realClock, random, baseUrls, contact, answerMs: READ_MS };
  const reader = createUpstreamReader(parts);
  const limits = { deadline: realClock.now() + READ_MS };
  const queries = [{ text: 'x', must: ['x'], any: [] }];
  const place = { chain: 'base', address: `0x${'1'.repeat(40)}`, ...limits } as const;
  const opinions = createPublicChannels(reader);
  const feed = {
    domain: '127.0.0.1',
    feedUrl: `${url}/feed`,
    lang: 'en',
    country: 'INT',
    category: 'crypto' as const,
    paywall: false,
    lastVerified: null,
  };
  const feeds = createFeedReader({ egress, clock: realClock, feeds: [], answerMs: READ_MS });
  const pages = createPageReader({ egress, clock: realClock });
  return [
    () => egress.fetch({ url, method: 'GET', totalTimeoutMs: READ_MS }),
    () =>
      egress.fetch({ url, method: 'GET', totalTimeoutMs: READ_MS, truncate: true, maxBytes: 99 }),
    ...[
      createCrossrefSearch(reader),
      createHackerNewsSearch(reader),
      createWikipediaSearch(reader, []),
    ].map((documents) => () => documents.search({ queries, most: 3 }, limits)),
    () => createDexPools(reader).token(place),
    () => createDexPools(reader).pools('dexscreener', place),
    () => createGleifRegistry(reader).findByName('x', limits),
    () => createNorwayRegistry(reader).findByName('x', limits),
    ...opinions.channels.map((channel) => () => {
      const topic = { terms: ['x'], phrases: [] };
      return opinions.read({ channel, topic, ...limits });
    }),
    () => feeds.read(feed, limits.deadline),
    () => pages.read(`${url}/page`, limits.deadline),
  ];
}

/** A reader answers with a value or a fault of its table; what is thrown is an error with a code. */
async function checkReading(read: () => Promise<unknown>): Promise<void> {
  try {
    const answer = await read();
    JSON.stringify(answer);
  } catch (thrown) {
    const { code } = thrown as { readonly code?: unknown };
    if (typeof code !== 'string' || !(code in ERRORS)) throw thrown;
  }
}
