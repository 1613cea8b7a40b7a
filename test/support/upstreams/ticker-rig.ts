import { onTestFinished } from 'vitest';
import { createExchanges } from '../../../src/providers/market/exchanges.ts';
import { createEgress } from '../../../src/providers/net/egress.ts';
import { createFeedReader } from '../../../src/providers/news/feed-reader.ts';
import { createPublicChannels } from '../../../src/providers/sentiment/public-channels.ts';
import { vaderScorer } from '../../../src/providers/sentiment/vader-scorer.ts';
import { realClock } from '../real-clock.ts';
import { ccxtThread } from './ccxt-thread.ts';
import type { UpstreamFault } from './fault-dial.ts';
import { feedServer } from './feed-server.ts';
import { madeExchanges } from './made-further-markets.ts';
import type { MadeMarket } from './made-markets.ts';
import { quickReader } from './quick-reader.ts';
import { upstreamServer } from './upstream-server.ts';

/** Exchanges that quote in dollars. */
export const DOLLAR_VENUES = ['coinbase', 'kraken', 'bitstamp'] as const;
/** The same, with the second address of one, which its books are read from. */
export const BOOK_VENUES = [...DOLLAR_VENUES, 'coinbasebooks'] as const;
/** Channels that opinions are read from. */
export const OPINION_CHANNELS = ['hackernews', 'mastodon', 'lemmy'] as const;

/** What the upstreams look like, and the fault of some of them. */
export interface TickerSetting {
  readonly markets?: Readonly<Record<string, MadeMarket>>;
  readonly fault?: UpstreamFault | undefined;
  readonly at?: readonly ((typeof BOOK_VENUES)[number] | (typeof OPINION_CHANNELS)[number])[];
}

/** Exchanges, a paper and channels on loopback servers, behind the parts that serve. */
export async function tickerRig({ markets, fault, at = [] }: TickerSetting = {}) {
  const server = await upstreamServer(Date.now, madeExchanges(markets));
  const papers = await feedServer();
  for (const upstream of at) server.dial(upstream, fault);
  const allowHosts = [server.host, papers.host];
  const egress = createEgress({ clock: realClock, userAgent: 'stoa/test', allowHosts });
  onTestFinished(async () => {
    await egress.close();
    await server.close();
    await papers.close();
  });
  const reader = quickReader({ egress, baseUrls: server.baseUrls, fault, haste: 50 });
  return {
    server,
    papers,
    parts: {
      clock: realClock,
      ...createExchanges({ reader, clock: realClock, thread: ccxtThread }),
      opinions: createPublicChannels(reader),
      scorer: vaderScorer,
      feeds: createFeedReader({ egress, clock: realClock, feeds: [papers.feed('a.example')] }),
    },
  };
}
