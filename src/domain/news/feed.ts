import { z } from 'zod';

/** What a curated domain writes about. */
export const FeedCategory = z.enum([
  'world',
  'business',
  'crypto',
  'technology',
  'security',
  'science',
  'official',
]);
/** See {@link FeedCategory}. */
export type FeedCategory = z.infer<typeof FeedCategory>;

/** A curated domain and the feed that it publishes. */
export interface Feed {
  readonly domain: string;
  readonly feedUrl: string;
  readonly category: FeedCategory;
  /** ISO 639-1. */
  readonly lang: string;
  /** ISO 3166-1, or `INT`. */
  readonly country: string;
  /** Whether what it links to may ask for a subscription. */
  readonly paywall: boolean;
  /** Day on which somebody last saw it answer; `null`: never by us. */
  readonly lastVerified: string | null;
}

/** Entries of one feed that are read at the most. */
export const FEED_ITEMS_MAX = 200;
/** Characters of a headline at the most. */
export const TITLE_CHARS_MAX = 300;
/** Characters of a summary at the most. */
export const SUMMARY_CHARS_MAX = 600;

/** An entry of a feed, cleaned. Every word of it is a stranger's. */
export interface FeedItem {
  readonly url: string;
  readonly title: string;
  readonly summary: string;
  /** Milliseconds; `null` where the feed does not say, or not so that it can be read. */
  readonly publishedAt: number | null;
}

/** What a feed holds, with what was taken out of it because nobody would see it. */
export interface ReadFeed {
  readonly items: readonly FeedItem[];
  readonly lang: string | null;
  readonly hiddenElements: number;
  readonly invisibleCharacters: number;
}
