import { afterEach, beforeEach, expect, test } from 'vitest';
import type { DataFailure } from '../../../src/domain/data/data-failure.ts';
import type { SentimentReport } from '../../../src/domain/sentiment/report.ts';
import { createEgress, type Egress } from '../../../src/providers/net/egress.ts';
import { createFeedReader } from '../../../src/providers/news/feed-reader.ts';
import { createPublicChannels } from '../../../src/providers/sentiment/public-channels.ts';
import { vaderScorer } from '../../../src/providers/sentiment/vader-scorer.ts';
import { oracleSentimentTool } from '../../../src/tools/sentiment/oracle_sentiment-analysis.ts';
import { topicSentimentTool } from '../../../src/tools/sentiment/research_topic-sentiment-analyzer.ts';
import { proves } from '../../support/proves.ts';
import { realClock } from '../../support/real-clock.ts';
import { answerOf, contentOf, envelopeFaults, sellTool } from '../../support/sold-tool.ts';
import { FAULT_ANSWERS } from '../../support/upstreams/fault-answers.ts';
import { FAULTS, type UpstreamFault } from '../../support/upstreams/fault-dial.ts';
import { type FeedServer, feedServer } from '../../support/upstreams/feed-server.ts';
import { quickReader } from '../../support/upstreams/quick-reader.ts';
import { type UpstreamServer, upstreamServer } from '../../support/upstreams/upstream-server.ts';

interface Answer {
  readonly completeness: string;
  readonly data: SentimentReport | null;
  readonly coverage: { readonly missing: readonly string[] };
  readonly faults: readonly DataFailure[];
}

let server: UpstreamServer;
let papers: FeedServer;
let egress: Egress;
beforeEach(async () => {
  server = await upstreamServer();
  papers = await feedServer();
  const allowHosts = [server.host, papers.host];
  egress = createEgress({ clock: realClock, userAgent: 'stoa/test', allowHosts });
});
afterEach(async () => {
  await egress.close();
  await server.close();
  await papers.close();
});

const TOOLS = { oracle: oracleSentimentTool, topic: topicSentimentTool } as const;

async function bought(args: object, fault?: UpstreamFault, tool: keyof typeof TOOLS = 'oracle') {
  const reader = quickReader({ egress, baseUrls: server.baseUrls, fault });
  const sold = await sellTool((trust) =>
    TOOLS[tool]({
      trust,
      clock: realClock,
      scorer: vaderScorer,
      feeds: createFeedReader({ egress, clock: realClock, feeds: [papers.feed('a.example')] }),
      opinions: createPublicChannels(reader),
    }),
  );
  const outcome = await sold.buy({ topic: 'Bitcoin', ...args });
  const answer = answerOf<Answer>(sold, outcome);
  expect(envelopeFaults(contentOf(outcome))).toEqual([]);
  return { answer, outcome, charged: sold.charged(), data: answer.data as SentimentReport };
}

const SOCIAL = { channels: ['hackernews', 'mastodon', 'lemmy'] };
const channelIn = ({ channels }: SentimentReport, name: string) =>
  channels.find(({ channel }) => channel === name);

test('a topic is scored by channel and overall, with interval, counts, texts and sources', async () => {
  proves('C4.3.t22');
  const { answer, data, charged } = await bought({
    ...SOCIAL,
    channels: ['hackernews', 'mastodon'],
  });
  expect(data.overall?.score).toMatchObject({ unit: 'score', sources: ['s1', 's2'] });
  const { low = '', high = '' } = data.overall?.ci95 ?? {};
  const mean = Number(data.overall?.score.value);
  expect(Number(low) < mean && mean < Number(high)).toBe(true);
  expect(channelIn(data, 'hackernews')).toMatchObject({ status: 'scored', n: 13 });
  const { most_negative: worst = [], most_positive: best = [] } =
    channelIn(data, 'hackernews') ?? {};
  expect(worst[0]?.excerpt).toContain('disaster');
  expect(best.every(({ score }) => Number(score) >= 0.05)).toBe(true);
  expect(channelIn(data, 'mastodon')?.excluded).toMatchObject({ bots: 1, other_language: 1 });
  expect(data.scorer.method).toContain('VADER');
  expect([answer.completeness, charged]).toEqual(['full', 50_000n]);
});

test('the two tools tell the same, channel by channel', async () => {
  proves('C4.3.t31');
  const args = { channels: ['hackernews', 'mastodon'] };
  const [one, other] = [await bought(args), await bought(args, undefined, 'topic')];
  expect(other.data.channels.map(({ result }) => result?.score.value)).toEqual(
    one.data.channels.map(({ result }) => result?.score.value),
  );
  expect(other.charged).toBe(50_000n);
});

test('the news count as a channel, each text with its feed', async () => {
  const titles = Array.from({ length: 12 }, (_, at) => ({
    title: `Bitcoin rallies on day ${at}`,
    url: `https://a.example/${at}`,
  }));
  papers.hold('a.example', titles);
  const { data } = await bought({ channels: ['news', 'hackernews'] });
  expect(channelIn(data, 'news')).toMatchObject({ status: 'scored', n: 12 });
  expect(Number(channelIn(data, 'news')?.result?.score.value)).toBeGreaterThan(0.3);
  expect(data.overall).not.toBeNull();
});

test('a thin channel has no score, two authors are no crowd, and one channel is no overall', async () => {
  const { answer, data, charged } = await bought({ channels: ['hackernews', 'lemmy'] });
  const lemmy = channelIn(data, 'lemmy');
  expect(lemmy).toMatchObject({ status: 'thin', result: null, n: 7 });
  expect(lemmy?.excluded.same_author).toBe(7);
  expect([data.overall, data.overall_missing]).toEqual([null, expect.stringContaining('1 of 2')]);
  expect([answer.completeness, answer.coverage.missing]).toEqual(['partial', ['lemmy']]);
  expect(charged).toBe(50_000n);
});

test('a topic that nobody writes about is not scored, and not charged', async () => {
  server.answer('lemmy', '/api/v3/search?q=zeppelin&type_=All&sort=New&limit=50', {
    posts: [],
    comments: [],
  });
  const { answer, charged } = await bought({ topic: 'zeppelin', channels: ['lemmy'] });
  expect([answer.data, charged]).toEqual([null, 0n]);
  expect(answer.faults).toMatchObject([{ upstream: 'lemmy', code: 'not_found' }]);
});

const EXPECTED: Readonly<Record<UpstreamFault, readonly [string, boolean]>> = {
  ...FAULT_ANSWERS,
  // Texts an hour old or ahead are outside of a window of one hour: too few are left.
  stale: ['not_found', false],
  skewed_clock: ['not_found', false],
};

const CASES = FAULTS.flatMap((fault) =>
  (['oracle', 'topic'] as const).flatMap((tool) =>
    (['hackernews', 'mastodon', 'lemmy'] as const)
      .filter((channel) => channel === 'hackernews' || tool === 'topic')
      .map((channel) => [fault, tool, channel] as const),
  ),
);

test.each(CASES)(
  'fault %s, tool %s, channel %s: its code, its retry, and no charge',
  async (fault, tool, channel) => {
    server.dial(channel, fault);
    const { answer, outcome, charged } = await bought(
      { channels: [channel], window_h: 1 },
      fault,
      tool,
    );
    const [found] = answer.faults;
    expect([found?.code, found?.retryable]).toEqual(EXPECTED[fault]);
    expect(outcome).toMatchObject({ kind: 'result', result: { isError: true } });
    expect([answer.data, charged]).toEqual([null, 0n]);
  },
);

test('a measurement goes on without a channel that fails, and says so', async () => {
  server.dial('hackernews', 'forbidden_page');
  const { answer, data } = await bought({ channels: ['hackernews', 'mastodon'] });
  expect(channelIn(data, 'hackernews')).toMatchObject({
    status: 'failed',
    fault: 'blocked_by_upstream',
    result: null,
  });
  expect([data.overall, answer.completeness]).toEqual([null, 'partial']);
});

test('a topic without a word, or a channel that there is not, is refused at once', async () => {
  for (const args of [{ topic: '?!' }, { channels: ['x'] }, { window_h: 500 }, { topic: '' }]) {
    await expect(bought(args)).rejects.toThrow();
  }
  expect(server.hits).toEqual([]);
});
