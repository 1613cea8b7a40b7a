import pLimit from 'p-limit';
import { toIsoTime } from '../../domain/common/time.ts';
import type { DataFailure } from '../../domain/data/data-failure.ts';
import type { SourceReading } from '../../domain/data/upstreams.ts';
import type { ReadLimits } from '../../domain/filing/filings.ts';
import type { Feed, FeedContent, FeedItem } from '../../domain/news/feed.ts';
import type { FeedReader } from '../../domain/news/feed-reader.ts';
import { canonicalizeUrl } from '../../domain/news/story.ts';
import { splitWords, stemWord } from '../../domain/news/topic.ts';
import type { DocumentSearch, SearchOrder } from '../../domain/research/document-search.ts';
import { rankPassages } from '../../domain/research/rank.ts';
import { documentBody } from './run-queries.ts';

/** Feeds read in parallel. */
const PARALLEL_FEEDS = 16;
/** Share of the topic's words that an entry must contain. */
const TOPIC_SHARE = 0.6;
const NAME = 'news';

interface Answer {
  readonly feed: Feed;
  readonly reading: SourceReading<FeedContent>;
}

/** Creates the search for headlines and summaries in the curated feeds. */
export function createNewsSearch(reader: FeedReader): DocumentSearch {
  return {
    id: NAME,
    kind: 'news',
    title: 'curated news feeds',
    missing: [],
    search: async (order, limits) => {
      const answers = await readAllFeeds(reader, limits);
      const faults = answers.flatMap(({ reading }) => (reading.ok ? [] : [reading.fault]));
      return {
        found: selectEntries(order, answers),
        faults: findTotalFailure(faults, answers.length),
      };
    },
    read: async (found) => documentBody(NAME, found),
  };
}

async function readAllFeeds(
  reader: FeedReader,
  { deadline, signal }: ReadLimits,
): Promise<Answer[]> {
  const answers: Answer[] = [];
  await pLimit(PARALLEL_FEEDS).map(reader.feeds, async (feed) => {
    if (signal?.aborted === true) return;
    answers.push({ feed, reading: await reader.read(feed, deadline) });
  });
  return answers.sort((one, other) => (one.feed.domain < other.feed.domain ? -1 : 1));
}

/** Returns a fault only if every domain failed: some of many domains always fail. */
function findTotalFailure(
  faults: readonly DataFailure[],
  feedCount: number,
): readonly DataFailure[] {
  const [first] = faults;
  if (first === undefined || faults.length < feedCount) return [];
  const codes = new Set(faults.map(({ code }) => code));
  const one = faults.find(({ code }) => codes.size === 1 || code !== 'not_found') ?? first;
  return [{ ...one, detail: `None of ${feedCount} domains answered. ${one.detail}`.slice(0, 200) }];
}

function selectEntries({ queries, most }: SearchOrder, answers: readonly Answer[]) {
  const topicStems = queries[0]?.must.map(stemWord) ?? [];
  const entries = new Map<string, ReturnType<typeof toDocument>>();
  for (const { reading } of answers) {
    if (!reading.ok) continue;
    for (const item of reading.value.items) {
      const key = canonicalizeUrl(item.url);
      if (matchesTopic(item, topicStems) && !entries.has(key))
        entries.set(key, toDocument(item, reading));
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

function matchesTopic({ title, summary }: FeedItem, asked: readonly string[]): boolean {
  const itemStems = new Set(splitWords(`${title} ${summary}`).map(stemWord));
  return (
    asked.filter((stem) => itemStems.has(stem)).length >= Math.ceil(asked.length * TOPIC_SHARE)
  );
}

function toDocument(
  { url, title, summary, publishedAt }: FeedItem,
  { source }: Extract<SourceReading<FeedContent>, { ok: true }>,
) {
  const text = summary === '' ? title : `${title}.\n${summary}`;
  const at = publishedAt === null ? null : toIsoTime(publishedAt);
  return { url, title, publishedAt: at, body: { text, source } };
}
