import { CLOCK_LEAD_MAX_MS } from '../market/reference.ts';
import type { Feed, FeedItem } from './feed.ts';
import { groupStories, type Report, type Story } from './story.ts';
import { isEmptyTopic, matchesTopic, type Topic } from './topic.ts';

/** A feed entry with its feed. */
export interface FeedEntry {
  readonly feed: Feed;
  readonly item: FeedItem;
}

/** A report of a curated domain. */
export interface FeedReport extends Report {
  readonly feed: Feed;
  readonly summary: string;
}

/** Criteria of a scan. Times are milliseconds since 1970. */
export interface ScanCriteria {
  readonly topic: Topic;
  readonly from: number;
  readonly until: number;
  readonly now: number;
}

/** Stories of a scan, with counts of excluded entries. */
export interface ScanResult {
  readonly stories: readonly Story<FeedReport>[];
  readonly excluded: {
    readonly off_topic: number;
    readonly outside_window: number;
    readonly undated: number;
    readonly ahead_of_clock: number;
    readonly same_story: number;
  };
}

/** Finds the stories about a topic in a time window. An empty topic matches everything. */
export function scanEntries(entries: readonly FeedEntry[], order: ScanCriteria): ScanResult {
  const { topic, from, until, now } = order;
  const counts = { off_topic: 0, outside_window: 0, undated: 0, ahead_of_clock: 0 };
  const reports: FeedReport[] = [];
  for (const { feed, item } of entries) {
    const { publishedAt } = item;
    if (publishedAt === null) counts.undated += 1;
    else if (publishedAt > now + CLOCK_LEAD_MAX_MS) counts.ahead_of_clock += 1;
    else if (publishedAt < from || publishedAt > until) counts.outside_window += 1;
    else if (!isEmptyTopic(topic) && !matchesTopic(`${item.title} ${item.summary}`, topic)) {
      counts.off_topic += 1;
    } else reports.push({ ...item, feed, domain: feed.domain, publishedAt });
  }
  const stories = groupStories(reports);
  return { stories, excluded: { ...counts, same_story: reports.length - stories.length } };
}
