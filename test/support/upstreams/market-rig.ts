import type {
  MarketBooks,
  MarketCandles,
  MarketQuotes,
} from '../../../src/domain/market/markets.ts';
import type { UpstreamId } from '../../../src/providers/data/upstreams.ts';
import { createExchanges } from '../../../src/providers/market/exchanges.ts';
import { createEgress } from '../../../src/providers/net/egress.ts';
import { realClock } from '../real-clock.ts';
import { ccxtThread } from './ccxt-thread.ts';
import type { UpstreamFault } from './fault-dial.ts';
import { madeExchanges } from './made-further-markets.ts';
import type { MadeMarket } from './made-markets.ts';
import { quickReader } from './quick-reader.ts';
import { type UpstreamServer, upstreamServer } from './upstream-server.ts';

/** Exchanges on one loopback server, behind the adapters and the reader that serve. */
export interface MarketRig {
  readonly quotes: MarketQuotes;
  readonly markets: MarketBooks & MarketCandles;
  readonly server: UpstreamServer;
  close(): Promise<void>;
}

/** What the exchanges look like, and the fault of one of them. */
export interface MarketSetting {
  readonly markets?: Readonly<Record<string, MadeMarket>>;
  readonly venue: UpstreamId;
  readonly fault?: UpstreamFault;
}

/** Opens the exchanges; waits between repeats are shortened, those of a Retry-After stay. */
export async function marketRig({ markets, venue, fault }: MarketSetting): Promise<MarketRig> {
  const server = await upstreamServer(Date.now, madeExchanges(markets));
  server.dial(venue, fault);
  const allowHosts = [server.host];
  const egress = createEgress({ clock: realClock, userAgent: 'stoa/test', allowHosts });
  const reader = quickReader({ egress, baseUrls: server.baseUrls, fault });
  return {
    ...createExchanges({ reader, clock: realClock, thread: ccxtThread }),
    server,
    close: async () => {
      await egress.close();
      await server.close();
    },
  };
}
