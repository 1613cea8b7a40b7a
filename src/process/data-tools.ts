import type { Feed } from '../domain/news/feed.ts';
import type { Clock } from '../domain/ports/clock.ts';
import type { EgressPort } from '../domain/ports/egress.ts';
import type { LlmPort } from '../domain/ports/llm.ts';
import type { Random } from '../domain/ports/random.ts';
import type { TrustChain } from '../domain/ports/trust-chain.ts';
import { CcxtThread } from '../providers/data/ccxt/ccxt-thread.ts';
import { dexPools } from '../providers/data/dex/dex-pools.ts';
import { allDocumentSearches } from '../providers/data/documents/all.ts';
import { allExchanges } from '../providers/data/exchanges.ts';
import { createFeedReader } from '../providers/data/feeds/feed-reader.ts';
import { edgarFilings } from '../providers/data/filings/edgar.ts';
import { publicChannels } from '../providers/data/opinions/public-channels.ts';
import { createPageReader } from '../providers/data/pages/page-reader.ts';
import { allRegistries } from '../providers/data/registries/all.ts';
import { gleifRelations } from '../providers/data/registries/gleif.ts';
import { allScreenings } from '../providers/data/sanctions/lists.ts';
import { vaderScorer } from '../providers/data/sentiment/vader-scorer.ts';
import { createUpstreamReader, type ReaderParts } from '../providers/data/upstream-reader.ts';
import { youtubeCaptions } from '../providers/data/video-captions.ts';
import { youtubeFacts } from '../providers/data/video-facts.ts';
import { tableTokenPrices } from '../providers/llm/token-prices.ts';
import type { DataDeps } from '../tools/catalog.ts';

/** Upstreams at other addresses: answers name these as their sources. */
export interface OtherUpstreams {
  /** By the id of the upstream; the others stay where they are. */
  readonly baseUrls: NonNullable<ReaderParts['baseUrls']>;
  /** `host:port` pairs that may be asked although they are inside of the network. */
  readonly hosts: readonly string[];
  /** Feeds of news, in place of the curated ones. */
  readonly feeds: readonly Feed[];
}

/** What the data tools stand on. */
export interface DataParts {
  readonly clock: Clock;
  readonly trust: TrustChain;
  readonly llm: LlmPort;
  readonly egress: EgressPort;
  readonly random: Random;
  /** How the operator is reached; told to upstreams. */
  readonly contact: string | undefined;
  /** Key of the British register of companies. */
  readonly companiesHouseKey?: string | undefined;
  /** Whether captions of videos may be taken, which their platform's terms do not allow. */
  readonly hasCaptions?: boolean;
  readonly others?: OtherUpstreams | undefined;
}

/** What the data tools work with; nothing is read before the first call. */
export function openDataTools(parts: DataParts): DataDeps {
  const { clock, trust, llm, egress, contact, others } = parts;
  const reader = createUpstreamReader({
    ...parts,
    ...(others === undefined ? {} : { baseUrls: others.baseUrls }),
  });
  const filings = edgarFilings({ reader, clock, contact });
  const feeds = createFeedReader({
    ...{ egress, clock },
    ...(others === undefined ? {} : { feeds: others.feeds }),
  });
  return {
    ...{ clock, trust, llm },
    tokenPrices: tableTokenPrices(clock),
    pages: createPageReader({ egress, clock }),
    ...allExchanges({ reader, clock, thread: new CcxtThread(clock) }),
    filings,
    registries: allRegistries({ reader, filings, companiesHouseKey: parts.companiesHouseKey }),
    relations: gleifRelations(reader),
    screenings: allScreenings({ reader, clock }),
    feeds,
    searches: allDocumentSearches({ reader, feeds, filings, contact }),
    dex: dexPools(reader),
    opinions: publicChannels(reader),
    scorer: vaderScorer,
    videos: youtubeFacts(reader),
    captions: parts.hasCaptions === true ? youtubeCaptions(reader) : undefined,
  };
}
