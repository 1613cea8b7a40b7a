import type { Reading } from '../data/upstreams.ts';
import type { Feed, ReadFeed } from './feed.ts';

/** Reads the feeds of curated domains. */
export interface FeedReader {
  /** Every curated feed, each domain once. */
  readonly feeds: readonly Feed[];
  /**
   * Reads one feed. Never throws for what its domain does.
   *
   * @param deadline - Milliseconds at which the answer must be there.
   */
  read(feed: Feed, deadline: number): Promise<Reading<ReadFeed>>;
}
