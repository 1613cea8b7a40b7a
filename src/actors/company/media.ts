import { DAY_MS, toIsoTime } from '../../domain/common/time.ts';
import { LEGAL_FORMS } from '../../domain/company/legal-forms.ts';
import { type FeedReport, scanEntries } from '../../domain/news/scan.ts';
import type { Story } from '../../domain/news/story.ts';
import { parseTopic, splitWords } from '../../domain/news/topic.ts';
import { computeMean, SCORED_TEXTS_MIN } from '../../domain/sentiment/estimate.ts';
import { findAdverseWords } from '../../domain/vetting/adverse.ts';
import type { LensResult } from '../../domain/vetting/lens.ts';
import type { FeedReadings } from '../../tools/news/read-feeds.ts';
import { CitedSources } from '../vetting/cited-sources.ts';
import { emptyResult, type Lens } from '../vetting/lenses.ts';
import type { DiligencePorts } from './diligence-ports.ts';

/** Maximum age of news, in days; feeds contain little more. */
export const NEWS_DAYS = 14;
/** Maximum number of adverse stories in the report. */
const ADVERSE_MAX = 12;

/** Reports curated news about the company: adverse terms and sentiment. */
export const media: Lens<DiligencePorts> = async ({ name }, ports, { deadline }) => {
  const read = await ports.readNews(deadline);
  const now = ports.clock.now();
  const from = now - NEWS_DAYS * DAY_MS;
  const entries = read.answers.flatMap(({ feed, read: { items } }) =>
    items.map((item) => ({ feed, item })),
  );
  const { stories } = scanEntries(entries, { topic: createNewsTopic(name), from, until: now, now });
  const faults = [...read.faults];
  const total = ports.feeds.feeds.length;
  const isBroad = read.answers.length * 2 > total;
  const searched = `${read.answers.length} of ${total} news domains since ${toIsoTime(from)}`;
  if (!isBroad && stories.length === 0) {
    return emptyResult('failed', `Only ${searched} answered; news was not assessed.`, { faults });
  }
  const cited = new CitedSources();
  const placeOf = createPlaceLookup(read, cited);
  return {
    status: isBroad ? 'ok' : 'partial',
    note: `${stories.length} stories name it. Feeds contain only recent news.`,
    findings: adverseFindings(stories, placeOf),
    figures: createSentimentFigures(stories, placeOf, ports),
    searched: [searched],
    sources: cited.list,
    faults,
  };
};

/** Returns the name as a phrase without its legal form, which news usually omit. */
export function createNewsTopic(name: string) {
  const words = splitWords(name);
  const kept = words.filter((word) => !LEGAL_FORMS.has(word));
  return parseTopic(`"${(kept.length > 0 ? kept : words).join(' ')}"`);
}

type PlaceOf = (domain: string) => number;

function createPlaceLookup({ answers }: FeedReadings, cited: CitedSources): PlaceOf {
  const places = new Map(answers.map(({ feed, source }) => [feed.domain, cited.indexOf(source)]));
  return (domain) => places.get(domain) ?? 0;
}

function adverseFindings(
  stories: readonly Story<FeedReport>[],
  placeOf: PlaceOf,
): LensResult['findings'] {
  const adverse = stories.flatMap((story) => {
    const { words, isSevere } = findAdverseWords(`${story.lead.title} ${story.lead.summary}`);
    return words.length === 0 ? [] : [{ ...story, words, isGrave: isSevere }];
  });
  const worst = [...adverse].sort(
    (one, other) =>
      Number(other.isGrave) - Number(one.isGrave) || other.lead.publishedAt - one.lead.publishedAt,
  );
  return worst.slice(0, ADVERSE_MAX).map(({ lead, others, words, isGrave }) => {
    const also = others.length === 0 ? '' : `, and ${others.length} more`;
    const day = toIsoTime(lead.publishedAt).slice(0, 10);
    const domains = [lead, ...others].map(({ domain }) => domain);
    return {
      rule: 'adverse_news',
      severity: isGrave ? 'medium' : 'low',
      claim: `${lead.domain} on ${day}${also}: ${words.join(', ')}.`,
      quote: { text: lead.title, url: lead.url },
      cited: [...new Set(domains.map(placeOf))],
    };
  });
}

function createSentimentFigures(
  stories: readonly Story<FeedReport>[],
  placeOf: PlaceOf,
  { scorer }: Pick<DiligencePorts, 'scorer'>,
): LensResult['figures'] {
  if (stories.length < SCORED_TEXTS_MIN) return [];
  const leads = stories.map(({ lead }) => lead);
  const mean = computeMean(leads.map(({ title, summary }) => scorer.score(`${title}. ${summary}`)));
  return [
    {
      name: 'media_sentiment',
      formula: `mean over ${leads.length} stories, -1 to 1, by ${scorer.method}`,
      value: (Math.round(mean * 100) / 100 || 0).toFixed(2),
      unit: 'score',
      asOf: Math.max(...leads.map(({ publishedAt }) => publishedAt)),
      maxAgeMs: NEWS_DAYS * DAY_MS,
      cited: [...new Set(leads.map(({ domain }) => placeOf(domain)))],
    },
  ];
}
