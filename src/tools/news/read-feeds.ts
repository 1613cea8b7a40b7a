import type { DataFault } from '../../domain/data/fault.ts';
import type { SourceFacts } from '../../domain/data/source.ts';
import type { Feed, ReadFeed } from '../../domain/news/feed.ts';
import type { FeedReader } from '../../domain/news/feed-reader.ts';
import { runInLanes } from '../job/in-lanes.ts';

/** Feeds that are read concurrently. */
export const FEEDS_AT_ONCE = 16;

/** A feed that answered. */
export interface FeedAnswer {
  readonly feed: Feed;
  readonly read: ReadFeed;
  readonly source: SourceFacts;
}

/** The result of reading many feeds. */
export interface FeedsRead {
  /** In the order of the requested feeds. */
  readonly answers: readonly FeedAnswer[];
  readonly faults: readonly DataFault[];
}

/** Reads feeds concurrently, one at a time per domain. A failing feed never makes it throw. */
export async function readFeeds(
  reader: FeedReader,
  feeds: readonly Feed[],
  deadline: number,
): Promise<FeedsRead> {
  const answers = new Map<Feed, FeedAnswer>();
  const faults = new Map<Feed, DataFault>();
  const lanes = { total: FEEDS_AT_ONCE, perKey: 1, key: ({ domain }: Feed) => domain };
  await runInLanes(feeds, lanes, async (feed) => {
    const reading = await reader.read(feed, deadline);
    if (reading.ok) answers.set(feed, { feed, read: reading.value, source: reading.source });
    else faults.set(feed, reading.fault);
  });
  return { answers: inTurn(feeds, answers), faults: inTurn(feeds, faults) };
}

function inTurn<T>(feeds: readonly Feed[], found: ReadonlyMap<Feed, T>): readonly T[] {
  return feeds.flatMap((feed) => found.get(feed) ?? []);
}
