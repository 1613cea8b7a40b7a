import { z } from 'zod';
import { FailureCode } from '../data/data-failure.ts';
import { Instant } from '../data/source.ts';
import { FeedCategory } from './feed.ts';

const Count = z.int().nonnegative();
const Cited = z.array(z.string()).min(1).describe('Ids of the sources of this story.');

/** A news story with every curated domain that reports it. */
export const NewsStory = z.object({
  id: z.string(),
  title: z.string(),
  snippet: z.string(),
  url: z.string(),
  domain: z.string(),
  category: FeedCategory,
  lang: z.string(),
  paywall: z.boolean(),
  published_at: Instant.describe('Publication time according to the feed.'),
  seen_at: Instant.describe('Time at which the feed was read.'),
  also: z.array(
    z.object({ domain: z.string(), title: z.string(), url: z.string(), published_at: Instant }),
  ),
  sources: Cited,
});
/** A news story with every curated domain that reports it. */
export type NewsStory = z.infer<typeof NewsStory>;

/** Report of a news scan. */
export const NewsReport = z.object({
  topic: z.string().nullable(),
  window: z.object({ from: Instant, until: Instant }),
  untrusted: z.literal(true).describe('Titles, snippets and URLs come from third parties.'),
  stories: z.array(NewsStory),
  page: z.object({ returned: Count, found: Count, next_cursor: z.string().nullable() }),
  domains: z.object({
    total: Count,
    answered: Count,
    failed: z.array(z.object({ domain: z.string(), code: FailureCode })),
  }),
  excluded: z
    .object({
      off_topic: Count,
      outside_window: Count,
      undated: Count,
      ahead_of_clock: Count,
      same_story: Count.describe('Reports listed under also.'),
    })
    .describe('Entries that were read but are not separate stories.'),
  removed: z.object({ hidden_elements: Count, invisible_characters: Count }),
});
/** Report of a news scan. */
export type NewsReport = z.infer<typeof NewsReport>;
