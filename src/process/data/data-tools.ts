import type { TrustChain } from '../../domain/chain/trust-chain.ts';
import type { Clock } from '../../domain/common/clock.ts';
import type { Random } from '../../domain/common/random.ts';
import type { LlmPort } from '../../domain/llm/llm.ts';
import type { EgressPort } from '../../domain/net/egress.ts';
import type { Feed } from '../../domain/news/feed.ts';
import { createRegistries } from '../../providers/company/company-registries.ts';
import { createGleifRelations } from '../../providers/company/gleif.ts';
import {
  createUpstreamReader,
  type UpstreamReaderDeps,
} from '../../providers/data/upstream-reader.ts';
import { createEdgarFilings } from '../../providers/filing/edgar.ts';
import { createTableTokenPrices } from '../../providers/llm/token-prices.ts';
import { CcxtThread } from '../../providers/market/ccxt/ccxt-thread.ts';
import { createDexPools } from '../../providers/market/dex/dex-pools.ts';
import { createExchanges } from '../../providers/market/exchanges.ts';
import { createFeedReader } from '../../providers/news/feed-reader.ts';
import { createPageReader } from '../../providers/page/page-reader.ts';
import { createDocumentSearches } from '../../providers/research/document-searches.ts';
import { createScreenings } from '../../providers/screening/lists.ts';
import { createPublicChannels } from '../../providers/sentiment/public-channels.ts';
import { vaderScorer } from '../../providers/sentiment/vader-scorer.ts';
import { createYoutubeCaptions } from '../../providers/video/video-captions.ts';
import { createYoutubeFacts } from '../../providers/video/video-facts.ts';
import type { DataDeps } from '../../tools/service/commerce-tools.ts';

/** Replacement upstreams. Replies name these as their sources. */
export interface OtherUpstreams {
  /** Base URLs by upstream id. Other upstreams keep theirs. */
  readonly baseUrls: NonNullable<UpstreamReaderDeps['baseUrls']>;
  /** `host:port` pairs that may be called although they are inside the network. */
  readonly hosts: readonly string[];
  /** News feeds that replace the curated ones. */
  readonly feeds: readonly Feed[];
}

/** The dependencies of the data tools. */
export interface DataToolSources {
  readonly clock: Clock;
  readonly trust: TrustChain;
  readonly llm: LlmPort;
  readonly egress: EgressPort;
  readonly random: Random;
  /** The operator's contact address, which is sent to upstreams. */
  readonly contact: string | undefined;
  /** API key of Companies House, the British company register. */
  readonly companiesHouseKey?: string | undefined;
  /** Whether video captions may be fetched, which the platform's terms forbid. */
  readonly hasCaptions?: boolean;
  readonly others?: OtherUpstreams | undefined;
}

/** Creates the dependencies of the data tools. Nothing is read before the first call. */
export function openDataTools(parts: DataToolSources): DataDeps {
  const { clock, trust, llm, egress, contact, others } = parts;
  const reader = createUpstreamReader({
    ...parts,
    ...(others === undefined ? {} : { baseUrls: others.baseUrls }),
  });
  const filings = createEdgarFilings({ reader, clock, contact });
  const feeds = createFeedReader({
    egress,
    clock,
    ...(others === undefined ? {} : { feeds: others.feeds }),
  });
  return {
    clock,
    trust,
    llm,
    tokenPrices: createTableTokenPrices(clock),
    pages: createPageReader({ egress, clock }),
    ...createExchanges({ reader, clock, thread: new CcxtThread(clock) }),
    filings,
    registries: createRegistries({ reader, filings, companiesHouseKey: parts.companiesHouseKey }),
    relations: createGleifRelations(reader),
    screenings: createScreenings({ reader, clock }),
    feeds,
    searches: createDocumentSearches({ reader, feeds, filings, contact }),
    dex: createDexPools(reader),
    opinions: createPublicChannels(reader),
    scorer: vaderScorer,
    videos: createYoutubeFacts(reader),
    captions: parts.hasCaptions === true ? createYoutubeCaptions(reader) : undefined,
  };
}
