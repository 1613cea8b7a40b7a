import { z } from 'zod';

/** Subjects of curated domains. */
export const FeedCategory = z.enum([
  'world',
  'business',
  'crypto',
  'technology',
  'security',
  'science',
  'official',
]);
/** The subject of a curated domain. */
export type FeedCategory = z.infer<typeof FeedCategory>;

/** A curated domain and its feed. */
export interface Feed {
  readonly domain: string;
  readonly feedUrl: string;
  readonly category: FeedCategory;
  /** ISO 639-1. */
  readonly lang: string;
  /** ISO 3166-1, or `INT`. */
  readonly country: string;
  /** Whether its articles may require a subscription. */
  readonly paywall: boolean;
  /** Date on which the feed was last verified; `null` if we never verified it. */
  readonly lastVerified: string | null;
}

/** Maximum number of entries read from a feed. */
export const FEED_ITEMS_MAX = 200;
/** Maximum length of a headline, in characters. */
export const TITLE_CHARS_MAX = 300;
/** Maximum length of a summary, in characters. */
export const SUMMARY_CHARS_MAX = 600;

/** A cleaned feed entry. All of its text is untrusted. */
export interface FeedItem {
  readonly url: string;
  readonly title: string;
  readonly summary: string;
  /** Milliseconds since 1970; `null` if missing or malformed. */
  readonly publishedAt: number | null;
}

/** The entries of a feed, with counts of removed invisible content. */
export interface FeedContent {
  readonly items: readonly FeedItem[];
  readonly lang: string | null;
  readonly hiddenElements: number;
  readonly invisibleCharacters: number;
}
