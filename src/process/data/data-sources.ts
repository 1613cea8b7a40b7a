import type { DataSources } from '../../actors/common/services.ts';
import { createRegistries } from '../../providers/company/company-registries.ts';
import { createGleifRelations } from '../../providers/company/gleif.ts';
import { createUpstreamReader } from '../../providers/data/upstream-reader.ts';
import { createEdgarFilings } from '../../providers/filing/edgar.ts';
import { createTableTokenPrices } from '../../providers/llm/token-prices.ts';
import { CcxtThread } from '../../providers/market/ccxt/ccxt-thread.ts';
import { createDexPools } from '../../providers/market/dex/dex-pools.ts';
import { createExchangePrices } from '../../providers/market/exchange-prices.ts';
import { createExchanges } from '../../providers/market/exchanges.ts';
import { createFeedReader } from '../../providers/news/feed-reader.ts';
import { createPageReader } from '../../providers/page/page-reader.ts';
import { createDocumentSearches } from '../../providers/research/document-searches.ts';
import { createScreenings } from '../../providers/screening/lists.ts';
import { createPublicChannels } from '../../providers/sentiment/public-channels.ts';
import { vaderScorer } from '../../providers/sentiment/vader-scorer.ts';
import { createYoutubeCaptions } from '../../providers/video/video-captions.ts';
import { createYoutubeFacts } from '../../providers/video/video-facts.ts';

import type { ServerServices } from '../server/services.ts';

/** Opens the ports of third-party data. Nothing is read before the first call. */
export function openDataSources(
  services: Pick<
    ServerServices,
    'config' | 'clock' | 'egress' | 'environment' | 'overrides' | 'random'
  >,
): DataSources {
  const { clock, config, environment, overrides } = services;
  const { operatorContact: contact, secret, youtubeCaptions } = config;
  const { baseUrls, feeds: otherFeeds } = overrides.upstreams ?? {};
  const reader = createUpstreamReader({
    ...services,
    contact,
    ...(baseUrls === undefined ? {} : { baseUrls }),
  });
  const filings = createEdgarFilings({ reader, clock, contact });
  const feeds = createFeedReader({
    ...services,
    ...(otherFeeds === undefined ? {} : { feeds: otherFeeds }),
  });
  const exchanges = createExchanges({ reader, clock, thread: new CcxtThread(clock) });
  const companiesHouseKey = secret('STOA_COMPANIES_HOUSE_KEY');
  return {
    ...exchanges,
    prices: environment.prices(createExchangePrices({ ...exchanges, clock })),
    tokenPrices: createTableTokenPrices(clock),
    pages: createPageReader(services),
    filings,
    registries: createRegistries({ reader, filings, companiesHouseKey }),
    relations: createGleifRelations(reader),
    screenings: createScreenings({ reader, clock }),
    feeds,
    searches: createDocumentSearches({ reader, feeds, filings, contact }),
    dex: createDexPools(reader),
    opinions: createPublicChannels(reader),
    scorer: vaderScorer,
    videos: createYoutubeFacts(reader),
    captions: youtubeCaptions ? createYoutubeCaptions(reader) : undefined,
  };
}
