import { z } from 'zod';
import { isObject } from '../../domain/common/json.ts';
import { SECOND_MS, toIsoTime } from '../../domain/common/time.ts';
import { splitWords, stemWord } from '../../domain/news/topic.ts';
import type { DocumentSearch, FoundDocument } from '../../domain/research/document-search.ts';
import type { Parsed, UpstreamAnswer, UpstreamReader } from '../data/upstream-reader.ts';
import { extractHtmlText } from '../sentiment/html-text.ts';
import { runQueries } from './run-queries.ts';

/** Most comments read per thread: replies to the story first, then replies to those. */
export const COMMENTS_MAX = 200;
/** Fewest comments of a thread. */
export const COMMENTS_MIN = 2;
const UPSTREAM = 'hackernews';
const THREADS = 'https://news.ycombinator.com/item?id=';
/** Threads per request. Those with an unrelated title are dropped. */
const HITS = '20';
/** Share of the topic's words that a thread's title must contain. */
const TOPIC_SHARE = 0.6;
/** Largest plausible time, in seconds since 1970. */
const TIME_MAX_S = 4_102_444_800;

const Hit = z.object({
  objectID: z.string().regex(/^\d{1,12}$/),
  title: z.string().nullish(),
  num_comments: z.int().nullish(),
  created_at_i: z.int().min(0).max(TIME_MAX_S),
});
const Hits = z.object({ hits: z.array(Hit) });
type Hit = z.infer<typeof Hit>;

/** Creates the search for Hacker News threads on a topic. Author names are omitted. */
export function createHackerNewsSearch(reader: UpstreamReader): DocumentSearch {
  return {
    id: UPSTREAM,
    kind: 'discussion',
    title: 'Hacker News',
    missing: [],
    // A thread is found by its topic; answers to questions are found in its comments.
    search: ({ queries, most }, limits) =>
      runQueries({ queries: queries.slice(0, 1), most }, ({ text, must }) => {
        const query = new URLSearchParams({ query: text, tags: 'story', hitsPerPage: HITS });
        const path = `/api/v1/search?${query.toString()}`;
        return reader.read({ upstream: UPSTREAM, path, ...limits }, (answer) => {
          const { data } = Hits.safeParse(answer.json());
          const isFound = answer.status === 200 && data !== undefined;
          if (isFound) return { value: data.hits.filter(createTopicFilter(must)).map(toDocument) };
          return { fault: 'upstream_bad_payload', why: `HTTP ${answer.status} without threads.` };
        });
      }),
    read: ({ url }, limits) => {
      const id = /^\d{1,12}$/.exec(url.slice(THREADS.length))?.[0] ?? '0';
      const request = { upstream: UPSTREAM, path: `/api/v1/items/${id}`, ...limits } as const;
      return reader.read(request, parseThreadText);
    },
  };
}

function createTopicFilter(must: readonly string[]): (hit: Hit) => boolean {
  const topicStems = must.map(stemWord);
  const least = Math.ceil(topicStems.length * TOPIC_SHARE);
  return ({ title, num_comments: comments }) => {
    const titleStems = new Set(splitWords(title ?? '').map(stemWord));
    const isOfTopic = topicStems.filter((stem) => titleStems.has(stem)).length >= least;
    return isOfTopic && (comments ?? 0) >= COMMENTS_MIN;
  };
}

function toDocument({ objectID, title, created_at_i: at }: Hit): FoundDocument {
  const publishedAt = toIsoTime(at * SECOND_MS);
  return { url: `${THREADS}${objectID}`, title: title ?? '', publishedAt, body: null };
}

function parseThreadText(answer: UpstreamAnswer): Parsed<string> {
  const { status } = answer;
  const thread = status === 200 ? answer.json() : undefined;
  if (status === 404) return { fault: 'not_found', why: 'The thread does not exist.' };
  if (!isObject(thread) || !Array.isArray(thread['children'])) {
    return { fault: 'upstream_bad_payload', why: `HTTP ${status} without a thread.` };
  }
  const text = collectTexts(thread).map(extractHtmlText).filter(Boolean).join('\n');
  return text === '' ? { fault: 'not_found', why: 'The thread is empty.' } : { value: text };
}

/** Returns the texts of a thread, level by level. */
function collectTexts(thread: Readonly<Record<string, unknown>>): readonly string[] {
  const texts: string[] = [];
  let level: readonly unknown[] = [thread];
  while (level.length > 0 && texts.length <= COMMENTS_MAX) {
    const items = level.filter(isObject);
    texts.push(...items.map((item) => item['text']).filter((text) => typeof text === 'string'));
    level = items.flatMap((item): readonly unknown[] =>
      Array.isArray(item['children']) ? item['children'] : [],
    );
  }
  return texts.slice(0, COMMENTS_MAX);
}
