import type { PublicEvent } from '../../../src/domain/event/event-log.ts';

/** Where the public feed of the server is read. */
export const FEED_URL = 'http://feed.test/';

/** The public feed of a server, as it tells what became of money. */
export interface MoneyFeed {
  events: PublicEvent[];
  tell(type: string, data: Readonly<Record<string, string | number | boolean | null>>): void;
  /** A page of it. */
  answer(url: string): Response;
}

/** Opens an empty feed. */
export function moneyFeed(): MoneyFeed {
  const feed: MoneyFeed = {
    events: [],
    tell: (type, data) => {
      const [seq, at] = [feed.events.length, '2026-01-01T00:00:00.000Z'];
      feed.events.push({ type, seq, at, ref: `ref ${seq}`, subjects: [], data });
    },
    answer: (url) => {
      const from = Number(new URL(url).searchParams.get('from') ?? 0);
      const events = feed.events.slice(from);
      return Response.json({ events, next: feed.events.length, size: feed.events.length });
    },
  };
  return feed;
}
