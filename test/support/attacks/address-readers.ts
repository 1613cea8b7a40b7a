import { AppError } from '../../../src/domain/common/error.ts';
import type { Feed } from '../../../src/domain/news/feed.ts';
import { createUpstreamReader } from '../../../src/providers/data/upstream-reader.ts';
import { createExchangePrices } from '../../../src/providers/market/exchange-prices.ts';
import { createExchanges } from '../../../src/providers/market/exchanges.ts';
import type { Egress } from '../../../src/providers/net/egress.ts';
import { createFeedReader } from '../../../src/providers/news/feed-reader.ts';
import { postWebhook } from '../../../src/providers/notification/webhook-post.ts';
import { createPageReader } from '../../../src/providers/page/page-reader.ts';
import { createAuditTargets } from '../../../src/providers/target/audit-targets.ts';
import { checkLink } from '../../../src/tools/link/check-link.ts';
import { realClock } from '../real-clock.ts';
import { ccxtThread } from '../upstreams/ccxt-thread.ts';

/** What an address is read with. */
export interface ReadWith {
  readonly egress: Egress;
  readonly resolve: (host: string) => Promise<string[]>;
}

/** Reads an address, and tells the code or class of what became of it. */
export type AddressReader = (url: string, by: ReadWith) => Promise<string>;

const PATIENCE_MS = 5_000;
const clock = realClock;
const soon = () => Date.now() + PATIENCE_MS;
const random = { bytes: (length: number) => new Uint8Array(length) };

/** Everything that asks an address that a buyer, or somebody whom a buyer names, has written. */
export const ADDRESS_READERS: Readonly<Record<string, AddressReader>> = {
  page: async (url, { egress }) =>
    codeIn(await createPageReader({ egress, clock }).read(url, soon())),
  link: async (url, { egress }) => {
    const checker = {
      egress,
      clock,
      accepted: [{ from: 200, to: 299 }],
      timeoutMs: PATIENCE_MS,
      redirectsMax: 5,
      hasAnchors: true,
      signal: AbortSignal.timeout(PATIENCE_MS),
    };
    const address = new URL(url);
    const checked = await checkLink({ url, address, fragments: ['a'] }, checker);
    return checked.class;
  },
  feed: async (url, { egress }) => {
    const feed: Feed = {
      domain: 'a.example',
      feedUrl: url,
      category: 'world',
      lang: 'en',
      country: 'INT',
      paywall: false,
      lastVerified: null,
    };
    const reader = createFeedReader({ egress, clock, feeds: [feed] });
    return codeIn(await reader.read(feed, soon()));
  },
  upstream: async (url, { egress }) => {
    const reader = createUpstreamReader({ egress, clock, random, baseUrls: { kraken: url } });
    const request = { upstream: 'kraken', path: '', deadline: soon() } as const;
    return codeIn(await reader.read(request, ({ status }) => ({ value: status })));
  },
  question: async (url, { egress }) => {
    const reader = createUpstreamReader({ egress, clock, random, baseUrls: { youtube: url } });
    const request = { upstream: 'youtube', path: '', post: {}, deadline: soon() } as const;
    return codeIn(
      await reader.read(request, ({ status }) =>
        status >= 300 && status < 400
          ? { fault: 'too_many_redirects', why: 'A question is not sent on.' }
          : { value: status },
      ),
    );
  },
  price: (url, { egress }) => {
    const reader = createUpstreamReader({ egress, clock, random, baseUrls: { kraken: url } });
    const { quotes } = createExchanges({ reader, clock, thread: ccxtThread });
    const prices = createExchangePrices({ quotes, clock });
    return codeOf(prices.price({ pair: 'BTC/USD', venue: 'kraken' }));
  },
  webhook: (url, { egress }) => {
    const parts = {
      egress,
      secretOf: () => 'secret',
      sealer: { open: (text: string) => text },
      now: Date.now,
    };
    const ids = { webhookId: 'wh_1', deliveryId: 'd_1', event: 'job.released' };
    const notice = { kind: 'webhook', url, body: '{}', ...ids } as const;
    return codeOf(postWebhook(parts, notice, AbortSignal.timeout(PATIENCE_MS)));
  },
  target: (url, { resolve }) => {
    const targets = createAuditTargets({ allowInternal: false, commands: [], resolve });
    const limits = { requestsMax: 5, bytesMax: 10_000, totalMs: PATIENCE_MS };
    return codeOf(targets.open({ kind: 'mcp_http', url }, { limits, canarySeed: 'attack' }));
  },
};

function codeIn(
  reading:
    | { readonly ok: true }
    | { readonly ok: false; readonly fault: { readonly code: string } },
): string {
  return reading.ok ? 'answered' : reading.fault.code;
}

async function codeOf(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => 'answered',
    (thrown: unknown) => {
      if (!(thrown instanceof AppError)) return `untyped: ${String(thrown)}`;
      const fault = thrown.data['fault'] as { readonly code: string } | undefined;
      return fault?.code ?? thrown.code;
    },
  );
}
