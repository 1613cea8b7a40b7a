import type { DataFailure } from '../../domain/data/data-failure.ts';
import type { UnnumberedSource } from '../../domain/data/source.ts';
import type { Feed, FeedContent } from '../../domain/news/feed.ts';
import type { FeedReader } from '../../domain/news/feed-reader.ts';
import { runInLanes } from '../job/run-in-lanes.ts';

/** Feeds that are read concurrently. */
export const FEEDS_AT_ONCE = 16;

/** A feed that answered. */
export interface FeedAnswer {
  readonly feed: Feed;
  readonly read: FeedContent;
  readonly source: UnnumberedSource;
}

/** The result of reading many feeds. */
export interface FeedReadings {
  /** In the order of the requested feeds. */
  readonly answers: readonly FeedAnswer[];
  readonly faults: readonly DataFailure[];
}

/** Reads feeds concurrently, one at a time per domain. A failing feed never makes it throw. */
export async function readFeeds(
  reader: FeedReader,
  feeds: readonly Feed[],
  deadline: number,
): Promise<FeedReadings> {
  const answers = new Map<Feed, FeedAnswer>();
  const faults = new Map<Feed, DataFailure>();
  const lanes = { total: FEEDS_AT_ONCE, perKey: 1, key: ({ domain }: Feed) => domain };
  await runInLanes(feeds, lanes, async (feed) => {
    const reading = await reader.read(feed, deadline);
    if (reading.ok) answers.set(feed, { feed, read: reading.value, source: reading.source });
    else faults.set(feed, reading.fault);
  });
  return { answers: inFeedOrder(feeds, answers), faults: inFeedOrder(feeds, faults) };
}

function inFeedOrder<T>(feeds: readonly Feed[], found: ReadonlyMap<Feed, T>): readonly T[] {
  return feeds.flatMap((feed) => found.get(feed) ?? []);
}
