import { z } from 'zod';
import { FailureCode } from '../data/data-failure.ts';
import { Instant, Sha256 } from '../data/source.ts';
import { DataValue, DecimalText } from '../data/value.ts';

const Count = z.int().nonnegative();

/** A mean score with its confidence interval. */
export const SentimentScore = z.object({
  score: DataValue.describe('Mean, from -1 (negative) to 1 (positive).'),
  ci95: z
    .object({ low: DecimalText, high: DecimalText })
    .describe('Confidence interval of the mean, by percentile bootstrap over the texts.'),
});
/** A mean score with its confidence interval. */
export type SentimentScore = z.infer<typeof SentimentScore>;

/** An excerpt of a scored text. */
export const ScoredText = z.object({
  excerpt: z.string().max(200),
  url: z.string(),
  published_at: Instant,
  score: DecimalText,
  sources: z.array(z.string()).min(1),
});
/** An excerpt of a scored text. */
export type ScoredText = z.infer<typeof ScoredText>;

/** Sentiment in one channel. */
export const ChannelSentiment = z.object({
  channel: z.string(),
  status: z
    .enum(['scored', 'thin', 'failed'])
    .describe('thin: fewer than 10 texts, so no score. failed: the channel did not respond.'),
  fault: FailureCode.nullable(),
  n: Count.describe('Number of counted texts.'),
  result: SentimentScore.nullable(),
  labels: z.object({ positive: Count, neutral: Count, negative: Count }),
  most_positive: z.array(ScoredText).max(5),
  most_negative: z.array(ScoredText).max(5),
  excluded: z.object({
    off_topic: Count,
    outside_window: Count,
    duplicates: Count,
    bots: Count,
    other_language: Count,
    same_author: Count,
  }),
});
/** Sentiment in one channel. */
export type ChannelSentiment = z.infer<typeof ChannelSentiment>;

/** Report on the sentiment for a topic. */
export const SentimentReport = z.object({
  topic: z.string(),
  window: z.object({ from: Instant, until: Instant }),
  untrusted: z.literal(true).describe('Excerpts come from third parties.'),
  overall: SentimentScore.nullable().describe(
    'Mean of all scored channels with equal weight; null for fewer than 2.',
  ),
  overall_missing: z.string().nullable().describe('Why there is no overall score.'),
  channels: z.array(ChannelSentiment),
  scorer: z.object({ method: z.string(), lexicon_sha256: Sha256 }),
});
/** Report on the sentiment for a topic. */
export type SentimentReport = z.infer<typeof SentimentReport>;
