import type { DataFault } from '../../domain/data/fault.ts';
import type { Reading } from '../../domain/data/upstreams.ts';
import { instantText } from '../../domain/data/value.ts';
import type { ReadLimits } from '../../domain/filing/filings.ts';
import type { Feed, FeedItem, ReadFeed } from '../../domain/news/feed.ts';
import type { FeedReader } from '../../domain/news/feed-reader.ts';
import { canonicalUrl } from '../../domain/news/story.ts';
import { stemOf, wordsOf } from '../../domain/news/topic.ts';
import type { DocumentOrder, DocumentSearch } from '../../domain/research/document-search.ts';
import { rankPassages } from '../../domain/research/rank.ts';
import { bodyOf } from './ask-each.ts';

/** Feeds read in parallel. */
const FEEDS_AT_ONCE = 16;
/** Share of the topic's words that an entry must contain. */
const TOPIC_SHARE = 0.6;
const NAME = 'news';

interface Answer {
  readonly feed: Feed;
  readonly reading: Reading<ReadFeed>;
}

/** Creates the search for headlines and summaries in the curated feeds. */
export function newsSearch(reader: FeedReader): DocumentSearch {
  return {
    ...{ id: NAME, kind: 'news', title: 'curated news feeds', missing: [] },
    search: async (order, limits) => {
      const answers = await readAll(reader, limits);
      const faults = answers.flatMap(({ reading }) => (reading.ok ? [] : [reading.fault]));
      return { found: entriesFor(order, answers), faults: severest(faults, answers.length) };
    },
    read: async (found) => bodyOf(NAME, found),
  };
}

async function readAll(reader: FeedReader, { deadline, signal }: ReadLimits): Promise<Answer[]> {
  const waiting = [...reader.feeds];
  const answers: Answer[] = [];
  const lane = async (): Promise<void> => {
    for (let feed = waiting.shift(); feed !== undefined; feed = waiting.shift()) {
      if (signal?.aborted === true) return;
      answers.push({ feed, reading: await reader.read(feed, deadline) });
    }
  };
  await Promise.all(Array.from({ length: FEEDS_AT_ONCE }, lane));
  return answers.sort((one, other) => (one.feed.domain < other.feed.domain ? -1 : 1));
}

/** Returns a fault only if every domain failed: some of many domains always fail. */
function severest(faults: readonly DataFault[], asked: number): readonly DataFault[] {
  const [first] = faults;
  if (first === undefined || faults.length < asked) return [];
  const codes = new Set(faults.map(({ code }) => code));
  const one = faults.find(({ code }) => codes.size === 1 || code !== 'not_found') ?? first;
  return [{ ...one, detail: `None of ${asked} domains answered. ${one.detail}`.slice(0, 200) }];
}

function entriesFor({ queries, most }: DocumentOrder, answers: readonly Answer[]) {
  const asked = queries[0]?.must.map(stemOf) ?? [];
  const entries = new Map<string, ReturnType<typeof documentOf>>();
  for (const { reading } of answers) {
    if (!reading.ok) continue;
    for (const item of reading.value.items) {
      const key = canonicalUrl(item.url);
      if (isAsked(item, asked) && !entries.has(key)) entries.set(key, documentOf(item, reading));
    }
  }
  const passages = [...entries].map(([document, { title, body }]) => {
    const text = `${title} ${body.text}`;
    return { document, text, from: 0, to: text.length };
  });
  const question = queries.map(({ text }) => text).join(' ');
  return rankPassages(passages, question)
    .flatMap(({ passage }) => entries.get(passage.document) ?? [])
    .slice(0, most);
}

function isAsked({ title, summary }: FeedItem, asked: readonly string[]): boolean {
  const said = new Set(wordsOf(`${title} ${summary}`).map(stemOf));
  return asked.filter((stem) => said.has(stem)).length >= Math.ceil(asked.length * TOPIC_SHARE);
}

function documentOf(
  { url, title, summary, publishedAt }: FeedItem,
  { source }: Extract<Reading<ReadFeed>, { ok: true }>,
) {
  const text = summary === '' ? title : `${title}.\n${summary}`;
  const at = publishedAt === null ? null : instantText(publishedAt);
  return { url, title, publishedAt: at, body: { text, source } };
}
