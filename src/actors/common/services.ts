import type { PublishedAudits } from '../../domain/audit/published-audits.ts';
import type { TrustChain } from '../../domain/chain/trust-chain.ts';
import type { BlobStore } from '../../domain/common/blob-store.ts';
import type { Clock } from '../../domain/common/clock.ts';
import type { Random } from '../../domain/common/random.ts';
import type { OwnershipRelations, Registry } from '../../domain/company/registries.ts';
import type { ControlRegistry } from '../../domain/control/controls.ts';
import type { EventLog } from '../../domain/event/event-log.ts';
import type { Filings } from '../../domain/filing/filings.ts';
import type { LlmPort } from '../../domain/llm/llm.ts';
import type { TokenPrices } from '../../domain/llm/token-prices.ts';
import type { DexPools } from '../../domain/market/dex-pools.ts';
import type { MarketBooks, MarketCandles, MarketQuotes } from '../../domain/market/markets.ts';
import type { PriceSource } from '../../domain/market/price-source.ts';
import type { EgressPort } from '../../domain/net/egress.ts';
import type { FeedReader } from '../../domain/news/feed-reader.ts';
import type { Notifier } from '../../domain/notification/notifier.ts';
import type { PageReader } from '../../domain/page/page-reader.ts';
import type { Delegations } from '../../domain/passport/delegations.ts';
import type { Passports } from '../../domain/passport/passports.ts';
import type { PaymentChain } from '../../domain/payment/payment-chain.ts';
import type { ProofLog } from '../../domain/proof/proof-log.ts';
import type { ReadReputation } from '../../domain/reputation/reputation.ts';
import type { DocumentSearch } from '../../domain/research/document-search.ts';
import type { Screening } from '../../domain/screening/screening.ts';
import type { OpinionChannels } from '../../domain/sentiment/opinion-channels.ts';
import type { SentimentScorer } from '../../domain/sentiment/sentiment-scorer.ts';
import type { CaptionReader } from '../../domain/video/video-captions.ts';
import type { VideoReader } from '../../domain/video/video-facts.ts';
import type { WalletAuth } from '../../domain/wallet/wallet-auth.ts';
import type { ActorEngine } from '../../runtime/engine/types.ts';

/**
 * The shared ports of a server. A name means the same type everywhere. A function takes those that
 * it uses, such as `Pick<Services, 'engine' | 'blobs'>`.
 */
export interface Services extends DataSources {
  /** The engine on which all actors live. */
  readonly engine: ActorEngine;
  /** Large texts by their hash. */
  readonly blobs: BlobStore;
  /** The clock of the actors. A test server controls it. */
  readonly clock: Clock;
  readonly random: Random;
  /** The chain that payments settle on. */
  readonly chain: PaymentChain;
  /** The trust contracts on that chain. */
  readonly trust: TrustChain;
  readonly llm: LlmPort;
  /** Requests to third parties. */
  readonly egress: EgressPort;
  /** Receives one line of text for the operator. */
  readonly notice: (line: string) => void;
  /** The public feed of events. */
  readonly events: EventLog;
  readonly proofs: ProofLog;
  readonly controls: ControlRegistry;
  /** Authenticates the wallet that signed a request. */
  readonly wallets: WalletAuth;
  readonly passports: Passports;
  readonly delegations: Delegations;
  readonly reputationOf: ReadReputation;
  /** The audits that this server has published. */
  readonly audits: PublishedAudits;
  /** Delivers notices and webhooks. */
  readonly notifier: Notifier;
  /** Returns an HMAC with the key of this server, in hex. */
  readonly seal: (text: string) => string;
  /** Resolves with the public address of the server once it is known. */
  readonly baseUrl: () => Promise<string>;
  /** Returns the origins of this server. Empty before it listens. */
  readonly origins: () => readonly string[];
}

/** The ports of third-party data. Nothing is read before the first call. */
export interface DataSources {
  readonly prices: PriceSource;
  readonly quotes: MarketQuotes;
  readonly markets: MarketBooks & MarketCandles;
  readonly dex: DexPools;
  readonly tokenPrices: TokenPrices;
  readonly pages: PageReader;
  readonly feeds: FeedReader;
  readonly filings: Filings;
  readonly registries: readonly Registry[];
  readonly relations: OwnershipRelations;
  /** Sanctions lists, searched separately. */
  readonly screenings: readonly Screening[];
  readonly searches: readonly DocumentSearch[];
  readonly opinions: OpinionChannels;
  readonly scorer: SentimentScorer;
  readonly videos: VideoReader;
  /** Absent unless the operator has enabled captions. */
  readonly captions?: CaptionReader | undefined;
}
