import { muteFeed } from '../../domain/alert/measures.ts';
import { errorOfFault } from '../../domain/alert/source-error.ts';
import type { AlertSubject } from '../../domain/alert/subject.ts';
import { AppError } from '../../domain/common/error.ts';
import type { Reading } from '../../domain/data/upstreams.ts';
import { instantText } from '../../domain/data/value.ts';
import type { Feed, ReadFeed } from '../../domain/news/feed.ts';
import type { FeedReader } from '../../domain/news/feed-reader.ts';
import { type FeedEntry, scanEntries } from '../../domain/news/scan.ts';
import { topicOf } from '../../domain/news/topic.ts';
import type { AlertLook, AlertSample } from '../../machines/alert/alert-facts.ts';
import type { AskTime } from './market-samples.ts';
import { noFigure, proofOf } from './source-fault.ts';

/** Maximum number of headlines in an alert. */
export const FOUND_MAX = 3;

type News = Extract<AlertSubject, { readonly kind: 'news' }>;
type Answer = Extract<Reading<ReadFeed>, { readonly ok: true }> & { readonly feed: Feed };

/**
 * Counts the stories about a topic that were published within the window and after the alert was
 * created. A story counts even if some domains fail; zero requires an answer from every domain.
 *
 * @throws {AppError} the first failed domain's error
 */
export async function newsSample(
  reader: FeedReader,
  { query, domains }: News,
  ask: AskTime & Pick<AlertLook, 'windowMs' | 'since'>,
): Promise<AlertSample> {
  const { deadline, windowMs, since } = ask;
  const readings = await Promise.all(domains.map((domain) => readOne(reader, domain, deadline)));
  const answers = readings.filter((one): one is Answer => !(one instanceof AppError));
  const entries = answers.flatMap(({ feed, value }): FeedEntry[] =>
    value.items.map((item) => ({ feed, item })),
  );
  const now = ask.now();
  const from = Math.max(now - windowMs, since);
  const { stories } = scanEntries(entries, { topic: topicOf(query), from, until: now, now });
  const silent = readings.find((one) => one instanceof AppError);
  if (stories.length === 0 && silent !== undefined) throw silent;
  const newest = [...stories].sort((one, other) => other.lead.publishedAt - one.lead.publishedAt);
  const proof = answers.map(({ source }) => proofOf(source));
  return {
    value: String(stories.length),
    asOf: Math.min(...proof.map(({ at }) => Date.parse(at))),
    source: answers.map(({ feed }) => feed.domain).join('+'),
    proof,
    found: newest.slice(0, FOUND_MAX).map(({ lead }) => ({
      ...{ title: lead.title, url: lead.url, domain: lead.domain },
      publishedAt: instantText(lead.publishedAt),
    })),
  };
}

/** Returns a feed's answer, or the error because of which its domain does not count. */
async function readOne(reader: FeedReader, domain: string, deadline: number) {
  const feed = reader.feeds.find((one) => one.domain === domain);
  if (feed === undefined) return noFigure(domain, 'This domain is no longer in the curated list.');
  const reading = await reader.read(feed, deadline);
  if (!reading.ok) return errorOfFault(reading.fault);
  const mute = muteFeed(reading.value.items);
  return mute === undefined ? { ...reading, feed } : noFigure(domain, mute);
}
