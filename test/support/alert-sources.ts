import { createHash } from 'node:crypto';
import type { Services } from '../../src/actors/common/services.ts';
import { toIsoTime } from '../../src/domain/common/time.ts';
import { createDataFailure, type FailureCode } from '../../src/domain/data/data-failure.ts';
import type { UnnumberedSource } from '../../src/domain/data/source.ts';
import type { Candle } from '../../src/domain/market/candles.ts';
import type { Feed, FeedItem } from '../../src/domain/news/feed.ts';

type Told<T> = T | FailureCode;

/** Markets and feeds that say what a test told them, with the reader's own shapes. */
export class ToldSources implements Pick<Services, 'markets' | 'feeds'> {
  /** Every question that was asked. */
  readonly asked: string[] = [];
  readonly #candles = new Map<string, Told<readonly Candle[]>>();
  readonly #books = new Map<string, Told<{ readonly bid: string; readonly ask: string }>>();
  readonly #items = new Map<string, Told<readonly FeedItem[]>>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Tells the candles of a venue. */
  candles(venue: string, candles: Told<readonly Candle[]>): void {
    this.#candles.set(venue, candles);
  }

  /** Tells the best prices of a venue; a hundred units of the base stand at each. */
  book(venue: string, book: Told<{ readonly bid: string; readonly ask: string }>): void {
    this.#books.set(venue, book);
  }

  /** Tells what the feed of a domain holds. */
  items(domain: string, items: Told<readonly FeedItem[]>): void {
    this.#items.set(domain, items);
  }

  readonly markets: Services['markets'] = {
    candles: async ({ venue, from, to }) => {
      this.asked.push(`candles ${venue}`);
      const told = this.#candles.get(venue) ?? 'upstream_unavailable';
      if (typeof told === 'string') return { ok: false, fault: this.#fault(venue, told) };
      const candles = told.filter(({ at }) => at >= from && at < to);
      return { ok: true, candles, sources: [this.#source(venue, candles)] };
    },
    book: async ({ venue }) => {
      this.asked.push(`book ${venue}`);
      const told = this.#books.get(venue) ?? 'upstream_unavailable';
      if (typeof told === 'string') return { ok: false, fault: this.#fault(venue, told) };
      const level = (price: string) => [{ price, size: '100' }];
      const time = { asOf: this.#now(), asOfKind: 'received' } as const;
      const value = { venue, bids: level(told.bid), asks: level(told.ask), ...time };
      return { ok: true, value, source: this.#source(venue, told) };
    },
  };

  readonly feeds: Services['feeds'] = {
    feeds: ['a.example', 'b.example'].map(
      (domain): Feed => ({
        domain,
        feedUrl: `https://${domain}/feed`,
        category: 'world',
        lang: 'en',
        country: 'INT',
        paywall: false,
        lastVerified: null,
      }),
    ),
    read: async ({ domain }) => {
      this.asked.push(`feed ${domain}`);
      const told = this.#items.get(domain) ?? 'upstream_unavailable';
      if (typeof told === 'string') return { ok: false, fault: this.#fault(domain, told) };
      const value = { items: told, lang: 'en', hiddenElements: 0, invisibleCharacters: 0 };
      return { ok: true, value, source: this.#source(domain, told) };
    },
  };

  #fault(upstream: string, code: FailureCode) {
    return createDataFailure(code, { upstream, detail: 'It was told to fail.' });
  }

  #source(upstream: string, body: unknown): UnnumberedSource {
    const bytes = JSON.stringify(body);
    return {
      upstream,
      url: `https://${upstream}/x`,
      retrieved_at: toIsoTime(this.#now()),
      sha256: createHash('sha256').update(bytes).digest('hex'),
      revalidated_at: null,
      bytes: bytes.length,
      http_status: 200,
      from_cache: false,
    };
  }
}
