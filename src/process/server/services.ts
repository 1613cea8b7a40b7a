import type { Services } from '../../actors/common/services.ts';
import type { OperatorNotices } from '../../actors/notification/operator-notices.ts';
import type { PaymentFlow } from '../../actors/payment/payment-flow.ts';
import type { Config } from '../../config.ts';
import type { Sealer } from '../../domain/common/sealer.ts';
import type { EventFeed } from '../../domain/event/event-log.ts';
import type { HostingProvider } from '../../domain/hosting/hosting.ts';
import type { Feed } from '../../domain/news/feed.ts';
import type { UpstreamReaderDeps } from '../../providers/data/upstream-reader.ts';
import type { NodePaymentChain } from '../../providers/payment/payment-chain.ts';
import type { OpenedEngine } from '../../runtime/engine/engine.ts';
import type { RuntimeClock } from '../../runtime/engine/ports.ts';
import type { Models } from '../llm/models.ts';
import type { Running, Telemetry } from '../telemetry/telemetry.ts';
import type { Closers, Shutdown } from './closers.ts';
import type { DataLock } from './data-lock.ts';
import type { ServerEnvironment } from './environment.ts';
import type { ProcessMonitor } from './process-monitor.ts';
import type { PublicOrigin } from './public-origin.ts';
import type { Stores } from './stores.ts';
import type { OperatorToken } from './token-file.ts';

/**
 * The services of a server process. `startStoa` fills them step by step: an opener takes those that
 * it uses and returns those that it adds.
 */
export interface ServerServices extends Services, Pick<OpenedEngine, 'define' | 'start'> {
  readonly config: Config;
  /** Closes what was opened. An opener adds its own close functions. */
  readonly closers: Closers;
  readonly overrides: ServerOverrides;
  readonly lock: DataLock;
  readonly token: OperatorToken;
  /** The signal that the server stops by itself. */
  readonly shutdown: Shutdown;
  readonly environment: ServerEnvironment;
  readonly store: Stores;
  readonly chain: NodePaymentChain;
  readonly llm: Models;
  readonly telemetry: Telemetry;
  /** What telemetry reads of the components that have started so far. */
  readonly running: Running;
  /** The public feed with its write cursor. */
  readonly events: EventFeed;
  readonly origin: PublicOrigin;
  /** Notifies the operator. */
  readonly operator: OperatorNotices;
  readonly payments: PaymentFlow;
  /** Seals the secret headers of push notifications. */
  readonly sealer: Sealer;
}

/** Dependencies that a caller may inject beside the configuration. */
export interface ServerOverrides {
  /** Opens the provider of the hosting server. When absent, the configuration selects it. */
  readonly hosting?: (clock: RuntimeClock, origin: () => string) => Promise<HostingProvider>;
  /** Replaces upstreams of the data tools. */
  readonly upstreams?: OtherUpstreams;
  /** Monitors the process, for a server that does not share it. */
  readonly watch?: ProcessMonitor;
}

/** Replacement upstreams. Replies name these as their sources. */
export interface OtherUpstreams {
  /** Base URLs by upstream id. Other upstreams keep theirs. */
  readonly baseUrls: NonNullable<UpstreamReaderDeps['baseUrls']>;
  /** `host:port` pairs that may be called although they are inside the network. */
  readonly hosts: readonly string[];
  /** News feeds that replace the curated ones. */
  readonly feeds: readonly Feed[];
}
