import type { SourceReading } from '../data/upstreams.ts';
import type { Feed, FeedContent } from './feed.ts';

/** Reads the feeds of curated domains. */
export interface FeedReader {
  /** All curated feeds, one per domain. */
  readonly feeds: readonly Feed[];
  /**
   * Reads one feed. Failures of its domain are returned, never thrown.
   *
   * @param deadline - Milliseconds since 1970.
   */
  read(feed: Feed, deadline: number): Promise<SourceReading<FeedContent>>;
}
