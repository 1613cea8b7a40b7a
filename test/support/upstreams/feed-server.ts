import { createHash } from 'node:crypto';
import type { Feed } from '../../../src/domain/news/feed.ts';
import { httpLoopback } from '../loopback.ts';
import { answerFault, clockOffMs, type UpstreamFault } from './fault-dial.ts';

/** An entry of a synthetic feed. `ageMs` is how long ago it was published. */
export interface MadeItem {
  readonly title: string;
  readonly url: string;
  readonly ageMs?: number;
  readonly summary?: string;
  /** Written as it stands, in place of the date. */
  readonly date?: string;
}

/** Synthetic feeds of many domains on one loopback server. */
export interface FeedServer {
  readonly host: string;
  readonly url: string;
  readonly hits: string[];
  /** A curated row for a domain of this server. */
  feed(domain: string, more?: Partial<Feed>): Feed;
  /** What the feed of a domain holds. */
  hold(domain: string, items: readonly MadeItem[]): void;
  /** The exact text of a domain's feed. */
  write(domain: string, text: string | Buffer, type?: string): void;
  dial(domain: string, fault: UpstreamFault | undefined): void;
  close(): Promise<void>;
}

/** Starts the server; times are those of `now`. */
export async function feedServer(now: () => number = Date.now): Promise<FeedServer> {
  const held = new Map<string, (at: number) => string | Buffer>();
  const types = new Map<string, string>();
  const dials = new Map<string, UpstreamFault>();
  const server = await httpLoopback((request, response) => {
    const domain = (request.url ?? '').slice(1);
    const fault = dials.get(domain);
    const body = held.get(domain)?.(now() + clockOffMs(fault));
    if (fault !== undefined) {
      answerFault(fault, response, String(body ?? ''));
      return;
    }
    if (body === undefined) {
      response.writeHead(404).end();
      return;
    }
    const etag = `"${createHash('sha256').update(body).digest('hex').slice(0, 16)}"`;
    const isSame = request.headers['if-none-match'] === etag;
    const type = types.get(domain) ?? 'application/rss+xml';
    response.writeHead(isSame ? 304 : 200, { 'content-type': type, etag });
    response.end(isSame ? undefined : body);
  });
  return {
    host: server.host,
    url: server.url,
    hits: server.hits,
    close: server.close,
    feed: (domain, more = {}) => ({
      domain,
      feedUrl: `${server.url}/${domain}`,
      category: 'world',
      lang: 'en',
      country: 'INT',
      paywall: false,
      lastVerified: null,
      ...more,
    }),
    hold: (domain, items) => held.set(domain, (at) => rss(items, at)),
    write: (domain, text, type = 'application/rss+xml') => {
      held.set(domain, () => text);
      types.set(domain, type);
    },
    dial: (domain, fault) => {
      if (fault === undefined) dials.delete(domain);
      else dials.set(domain, fault);
    },
  };
}

/** A feed in RSS 2.0 with these entries. */
export function rss(items: readonly MadeItem[], now: number): string {
  const entries = items.map(({ title, url, ageMs = 60_000, summary = '', date }) => {
    const at = date ?? new Date(now - ageMs).toUTCString();
    return [
      `<item><title>${escaped(title)}</title><link>${escaped(url)}</link>`,
      `<pubDate>${at}</pubDate><description>${escaped(summary)}</description></item>`,
    ].join('');
  });
  return `<?xml version="1.0"?><rss version="2.0"><channel><title>Feed</title>${entries.join('')}</channel></rss>`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
