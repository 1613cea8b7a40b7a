import { explainUnusableFeed } from '../../domain/alert/measures.ts';
import { failureToAppError } from '../../domain/alert/source-error.ts';
import type { AlertSubject } from '../../domain/alert/subject.ts';
import { AppError } from '../../domain/common/error.ts';
import { toIsoTime } from '../../domain/common/time.ts';
import type { SourceReading } from '../../domain/data/upstreams.ts';
import type { Feed, FeedContent } from '../../domain/news/feed.ts';
import type { FeedReader } from '../../domain/news/feed-reader.ts';
import { type FeedEntry, scanEntries } from '../../domain/news/scan.ts';
import { parseTopic } from '../../domain/news/topic.ts';
import type { AlertReadInput, AlertSample } from '../../machines/alert/alert-context.ts';
import type { ReadTime } from './market-samples.ts';
import { noValueError, toAlertProof } from './source-error.ts';

/** Maximum number of headlines in an alert. */
export const HEADLINES_MAX = 3;

type News = Extract<AlertSubject, { readonly kind: 'news' }>;
type FeedAnswer = Extract<SourceReading<FeedContent>, { readonly ok: true }> & {
  readonly feed: Feed;
};

/**
 * Counts the stories about a topic that were published within the window and after the alert was
 * created. A story counts even if some domains fail; zero requires an answer from every domain.
 *
 * @throws {AppError} the first failed domain's error
 */
export async function readNewsSample(
  reader: FeedReader,
  { query, domains }: News,
  ask: ReadTime & Pick<AlertReadInput, 'windowMs' | 'since'>,
): Promise<AlertSample> {
  const { deadline, windowMs, since } = ask;
  const readings = await Promise.all(
    domains.map((domain) => readFeedAnswer(reader, domain, deadline)),
  );
  const answers = readings.filter((one): one is FeedAnswer => !(one instanceof AppError));
  const entries = answers.flatMap(({ feed, value }): FeedEntry[] =>
    value.items.map((item) => ({ feed, item })),
  );
  const now = ask.now();
  const from = Math.max(now - windowMs, since);
  const { stories } = scanEntries(entries, { topic: parseTopic(query), from, until: now, now });
  const silent = readings.find((one) => one instanceof AppError);
  if (stories.length === 0 && silent !== undefined) throw silent;
  const newest = [...stories].sort((one, other) => other.lead.publishedAt - one.lead.publishedAt);
  const proof = answers.map(({ source }) => toAlertProof(source));
  return {
    value: String(stories.length),
    asOf: Math.min(...proof.map(({ at }) => Date.parse(at))),
    source: answers.map(({ feed }) => feed.domain).join('+'),
    proof,
    found: newest.slice(0, HEADLINES_MAX).map(({ lead }) => ({
      title: lead.title,
      url: lead.url,
      domain: lead.domain,
      publishedAt: toIsoTime(lead.publishedAt),
    })),
  };
}

/** Returns a feed's answer, or the error because of which its domain does not count. */
async function readFeedAnswer(reader: FeedReader, domain: string, deadline: number) {
  const feed = reader.feeds.find((one) => one.domain === domain);
  if (feed === undefined)
    return noValueError(domain, 'This domain is no longer in the curated list.');
  const reading = await reader.read(feed, deadline);
  if (!reading.ok) return failureToAppError(reading.fault);
  const mute = explainUnusableFeed(reading.value.items);
  return mute === undefined ? { ...reading, feed } : noValueError(domain, mute);
}
