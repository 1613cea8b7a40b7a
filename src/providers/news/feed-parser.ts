import { z } from 'zod';
import type { Clock } from '../../domain/common/clock.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import type { FailureCode } from '../../domain/data/data-failure.ts';
import {
  FEED_ITEMS_MAX,
  type FeedContent,
  SUMMARY_CHARS_MAX,
  TITLE_CHARS_MAX,
} from '../../domain/news/feed.ts';
import { cleanText } from '../../domain/page/clean-text.ts';
import { ThreadPool } from '../data/thread-pool.ts';

/** Time limit for one feed in milliseconds, including the start of its thread. */
export const PARSE_MS = 5 * SECOND_MS;
/** Memory limit of a thread, in MB. */
export const PARSE_MEMORY_MB = 256;
/** Threads that parse feeds. */
export const PARSE_THREADS = 2;
/** Most feeds in the queue. Further ones are rejected. */
export const PARSE_QUEUE_MAX = 200;

/**
 * Most nested elements of a feed. Typical feeds have about 10 levels, with embedded pages about 40.
 */
export const FEED_DEPTH_MAX = 128;
/** Most elements of a feed. Typical feeds have about 3,000. */
export const FEED_ELEMENTS_MAX = 60_000;
const LIMITS = {
  depthMax: FEED_DEPTH_MAX,
  elementsMax: FEED_ELEMENTS_MAX,
  itemsMax: FEED_ITEMS_MAX,
  titleMax: TITLE_CHARS_MAX,
  textMax: SUMMARY_CHARS_MAX,
};

const WorkerReply = z.union([
  z.object({
    items: z
      .array(
        z.object({
          url: z.string(),
          title: z.string().max(TITLE_CHARS_MAX),
          summary: z.string().max(SUMMARY_CHARS_MAX),
          publishedAt: z.int().nullable(),
        }),
      )
      .max(FEED_ITEMS_MAX),
    lang: z.string().nullable(),
    hiddenElements: z.int(),
  }),
  z.object({
    fault: z.enum(['upstream_bad_payload', 'too_deep', 'too_large']),
    why: z.string().max(100),
  }),
]);

/** The result of parsing a feed. */
export type FeedParseResult =
  | { readonly value: FeedContent }
  | { readonly fault: FailureCode; readonly why: string };

/** A parser that runs in threads, which are killed when a feed takes too long. */
export class FeedParser {
  readonly #threads: ThreadPool;

  constructor(clock: Clock) {
    this.#threads = new ThreadPool(clock, {
      program: { module: 'providers/news/feed-worker.mjs', name: 'parseFeed' },
      memoryMb: PARSE_MEMORY_MB,
      timeMs: PARSE_MS,
      threads: PARSE_THREADS,
      queueMax: PARSE_QUEUE_MAX,
    });
  }

  /** Parses a feed. Never throws for a bad feed. Links are relative to `url`. */
  async parse(text: string, url: string): Promise<FeedParseResult> {
    if (this.#threads.isFull) {
      return { fault: 'upstream_unavailable', why: 'Too many feeds at once. Retry later.' };
    }
    const result = await this.#threads.run({ text, url, limits: LIMITS });
    const { data } = WorkerReply.safeParse(result.ok ? result.answer : undefined);
    if (data === undefined) {
      const why = 'Parsing exceeded its limit of time or memory.';
      return { fault: 'upstream_bad_payload', why };
    }
    return 'fault' in data ? data : { value: cleanFeed(data) };
  }
}

function cleanFeed({
  items,
  lang,
  hiddenElements,
}: Omit<FeedContent, 'invisibleCharacters'>): FeedContent {
  let invisibleCharacters = 0;
  const clean = (text: string): string => {
    const { text: shown, removed } = cleanText(text);
    invisibleCharacters += Object.values(removed).reduce((sum, count) => sum + count, 0);
    return shown.trim();
  };
  const shown = items.map((item) => ({
    ...item,
    title: clean(item.title),
    summary: clean(item.summary),
  }));
  const kept = shown.filter(({ title }) => title !== '');
  return { items: kept, lang, hiddenElements, invisibleCharacters };
}
