import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { NewPublicEvent, PublicEvent } from '../../src/domain/event/event-log.ts';

/** A public feed that a test writes itself. */
export interface EventFeedServer {
  readonly url: string;
  events: PublicEvent[];
  tell(event: Omit<NewPublicEvent, 'key' | 'happenedAt'>): void;
  close(): Promise<void>;
}

/** Serves events in small pages, so that whoever reads must turn them. */
export async function eventFeedServer(pageEvents = 2): Promise<EventFeedServer> {
  const feed: EventFeedServer = {
    url: '',
    events: [],
    tell: (event) => {
      feed.events.push({ ...event, seq: feed.events.length, at: '2026-01-01T00:00:00.000Z' });
    },
    close: () => new Promise((closed) => void server.close(() => closed())),
  };
  const server = createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? '/', 'http://localhost');
    const from = Number(searchParams.get('from') ?? 0);
    const events = feed.events.filter(({ seq }) => seq >= from).slice(0, pageEvents);
    const next = (events.at(-1)?.seq ?? from - 1) + 1;
    response.setHeader('content-type', 'application/json');
    response.setHeader('connection', 'close');
    response.end(JSON.stringify({ events, next, size: feed.events.length }));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  Object.assign(feed, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  return feed;
}
