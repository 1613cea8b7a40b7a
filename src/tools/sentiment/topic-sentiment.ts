import type { Services } from '../../actors/common/services.ts';
import { toDecimal } from '../../domain/common/decimal.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS, toIsoTime } from '../../domain/common/time.ts';
import { createDataFailure, type DataFailure } from '../../domain/data/data-failure.ts';
import { SourceList, type UnnumberedSource } from '../../domain/data/source.ts';
import { createDataValue } from '../../domain/data/value.ts';
import type { FeedReader } from '../../domain/news/feed-reader.ts';
import type { Topic } from '../../domain/news/topic.ts';
import {
  estimateMean,
  SCORED_CHANNELS_MIN,
  SCORED_TEXTS_MIN,
  toLabel,
} from '../../domain/sentiment/estimate.ts';
import { filterOpinions } from '../../domain/sentiment/filter-opinions.ts';
import type { Opinion } from '../../domain/sentiment/opinion-channels.ts';
import type {
  ChannelSentiment,
  ScoredText,
  SentimentReport,
  SentimentScore,
} from '../../domain/sentiment/report.ts';
import type { SentimentScorer } from '../../domain/sentiment/sentiment-scorer.ts';
import { readFeeds } from '../news/read-feeds.ts';

/** Time limit for all channels together, in milliseconds. */
export const CHANNELS_MS = 25 * SECOND_MS;
/** Validity of a score, in milliseconds. */
const FRESH_MS = 15 * MINUTE_MS;
const EXCERPT_CHARS_MAX = 200;
const EXCERPTS_MAX = 5;
const PLACES = 4;

/** The sources of texts: curated feeds and public channels. */
export const CHANNEL_NAMES = ['news', 'hackernews', 'mastodon', 'lemmy'] as const;

type Ports = Pick<Services, 'clock' | 'feeds' | 'opinions' | 'scorer'>;

/** The input of a measurement. */
export interface SentimentOrder {
  readonly words: string;
  readonly topic: Topic;
  readonly channels: readonly string[];
  readonly windowH: number;
  /** Deadline in milliseconds. Default: {@link CHANNELS_MS} from now. */
  readonly deadline?: number;
}

/** The result of a measurement. */
export interface TopicMeasurement {
  readonly report: SentimentReport;
  readonly sources: SourceList;
  readonly faults: readonly DataFailure[];
}

/** Reads every channel, then filters and scores the texts. A failing channel never throws. */
export async function measureTopic(
  order: SentimentOrder,
  parts: Ports,
  sources = new SourceList(),
): Promise<TopicMeasurement> {
  const { clock, scorer } = parts;
  const { deadline = clock.now() + CHANNELS_MS } = order;
  const readings = await Promise.all(
    order.channels.map((channel) => readChannel(channel, { ...order, deadline }, parts)),
  );
  const now = clock.now();
  const from = now - order.windowH * HOUR_MS;
  const scored = readings.map((one) => scoreChannel(one, { ...order, from, now, sources, scorer }));
  const counted = scored.flatMap(({ scores, made }) =>
    made.result === null ? [] : [{ scores, made: made.result }],
  );
  const isEnough = counted.length >= SCORED_CHANNELS_MIN;
  const cited = counted.flatMap(({ made }) => made.score.sources);
  const report: SentimentReport = {
    topic: order.words,
    window: { from: toIsoTime(from), until: toIsoTime(now) },
    untrusted: true,
    overall: isEnough
      ? scoreOf(
          counted.map(({ scores }) => scores),
          cited,
          now,
        )
      : null,
    overall_missing: isEnough
      ? null
      : `${counted.length} of ${SCORED_CHANNELS_MIN} channels have ${SCORED_TEXTS_MIN} texts.`,
    channels: scored.map(({ made }) => made),
    scorer: { method: scorer.method, lexicon_sha256: scorer.lexiconSha256 },
  };
  return {
    report,
    sources,
    faults: [
      ...readings.flatMap((one) => one.faults),
      ...scored.flatMap(({ made }) => tooFewTextsFault(made)),
    ],
  };
}

/** The texts of one channel with their sources. */
interface ChannelTexts {
  readonly channel: string;
  readonly opinions: readonly { readonly opinion: Opinion; readonly source: UnnumberedSource }[];
  readonly faults: readonly DataFailure[];
  readonly isAnswered: boolean;
}

async function readChannel(
  channel: string,
  { topic, deadline }: SentimentOrder & { readonly deadline: number },
  { feeds, opinions }: Ports,
): Promise<ChannelTexts> {
  if (channel === 'news') return readNews(feeds, deadline);
  const reading = await opinions.read({ channel, topic, deadline });
  if (!reading.ok) return { channel, opinions: [], faults: [reading.fault], isAnswered: false };
  const { value, source } = reading;
  const found = value.map((opinion) => ({ opinion, source }));
  return { channel, opinions: found, faults: [], isAnswered: true };
}

async function readNews(reader: FeedReader, deadline: number): Promise<ChannelTexts> {
  const english = reader.feeds.filter(({ lang }) => lang === 'en');
  const { answers, faults } = await readFeeds(reader, english, deadline);
  const opinions = answers.flatMap(({ read, source }) =>
    read.items.flatMap(({ title, summary, url, publishedAt }) => {
      if (publishedAt === null) return [];
      const text = [title, summary].filter((part) => part !== '').join('. ');
      const opinion = { text, url, publishedAt, author: null, isBot: false, lang: 'en' };
      return [{ opinion, source }];
    }),
  );
  return { channel: 'news', opinions, faults, isAnswered: answers.length > 0 };
}

interface Scoring {
  readonly topic: Topic;
  readonly from: number;
  readonly now: number;
  readonly sources: SourceList;
  readonly scorer: SentimentScorer;
}

function scoreChannel(
  { channel, opinions, faults, isAnswered }: ChannelTexts,
  { topic, from, now, sources, scorer }: Scoring,
): { readonly made: ChannelSentiment; readonly scores: readonly number[] } {
  const sourceOf = new Map(opinions.map(({ opinion, source }) => [opinion, source]));
  const { kept, excluded } = filterOpinions([...sourceOf.keys()], { topic, from, now });
  const texts = kept.flatMap((opinion) => {
    const source = sourceOf.get(opinion);
    if (source === undefined) return [];
    return [{ opinion, score: scorer.score(opinion.text), source: sources.assignId(source) }];
  });
  const scores = texts.map(({ score }) => score);
  const cited = texts.map(({ source }) => source);
  const isThin = scores.length < SCORED_TEXTS_MIN;
  const count = (label: string) => scores.filter((score) => toLabel(score) === label).length;
  const ordered = [...texts].sort((one, other) => other.score - one.score);
  const shown = (part: typeof texts) => part.slice(0, EXCERPTS_MAX).map(toScoredText);
  const made: ChannelSentiment = {
    channel,
    status: isAnswered ? statusOf(isThin) : 'failed',
    fault: isAnswered ? null : (faults[0]?.code ?? null),
    n: scores.length,
    result: isThin ? null : scoreOf([scores], cited, now),
    labels: {
      positive: count('positive'),
      neutral: count('neutral'),
      negative: count('negative'),
    },
    most_positive: shown(ordered.filter(({ score }) => toLabel(score) === 'positive')),
    most_negative: shown(ordered.filter(({ score }) => toLabel(score) === 'negative').reverse()),
    excluded,
  };
  return { made, scores };
}

/** Returns a fault for a channel with too few texts; a retry would hardly find more. */
function tooFewTextsFault({ channel, status, n }: ChannelSentiment): readonly DataFailure[] {
  if (status !== 'thin') return [];
  const detail = `${n} texts on the topic; a score needs ${SCORED_TEXTS_MIN}.`;
  return [createDataFailure('not_found', { upstream: channel, detail })];
}

function statusOf(isThin: boolean): 'thin' | 'scored' {
  return isThin ? 'thin' : 'scored';
}

function scoreOf(
  groups: readonly (readonly number[])[],
  sources: readonly string[],
  now: number,
): SentimentScore {
  const { mean, low, high } = estimateMean(groups);
  const value = toDecimal(mean, PLACES);
  return {
    score: createDataValue({
      value,
      unit: 'score',
      asOf: now,
      asOfKind: 'received',
      maxAgeMs: FRESH_MS,
      now,
      sources,
    }),
    ci95: { low: toDecimal(low, PLACES), high: toDecimal(high, PLACES) },
  };
}

function toScoredText({
  opinion: { text, url, publishedAt },
  score,
  source,
}: {
  readonly opinion: Opinion;
  readonly score: number;
  readonly source: string;
}): ScoredText {
  return {
    // Do not end on half of a surrogate pair.
    excerpt: text.slice(0, EXCERPT_CHARS_MAX).replace(/[\uD800-\uDBFF]$/, ''),
    url,
    published_at: toIsoTime(publishedAt),
    score: toDecimal(score, PLACES),
    sources: [source],
  };
}
