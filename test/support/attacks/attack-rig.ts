import { monitorEventLoopDelay } from 'node:perf_hooks';
import { UPSTREAMS, type UpstreamId } from '../../../src/providers/data/upstreams.ts';
import { createEgress } from '../../../src/providers/net/egress.ts';
import { httpLoopback } from '../loopback.ts';
import { realClock } from '../real-clock.ts';
import { madeCaptions } from '../upstreams/made-captions.ts';
import { madeExchanges } from '../upstreams/made-further-markets.ts';
import { fixturesOf, upstreamServer } from '../upstreams/upstream-server.ts';
import { documentReaders } from './document-readers.ts';
import type { HostileDocument } from './documents.ts';
import { outcomeOf } from './sound.ts';

/** What came of reading one document with every reader. */
export interface AttackOutcome {
  /** Readers and what is wrong with what they made of it. */
  readonly wrong: readonly string[];
  readonly readers: number;
  /** Readers that made a value of it. */
  readonly answered: number;
  /** Longest time for which the main thread did nothing else, in milliseconds. */
  readonly blockedMs: number;
}

/** Lets every reader read the same document. */
export async function attackAll(document: HostileDocument): Promise<AttackOutcome> {
  const server = await httpLoopback((request, response) => {
    if (request.url?.endsWith('/robots.txt') === true) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { 'content-type': 'text/html', ...document.headers });
    response.end(document.body);
  });
  const ids = Object.keys(UPSTREAMS) as UpstreamId[];
  const baseUrls = Object.fromEntries(ids.map((id) => [id, `${server.url}/${id}`]));
  const place = { baseUrls: baseUrls as Record<UpstreamId, string>, url: server.url };
  try {
    return await readAll(server.host, place);
  } finally {
    await server.close();
  }
}

/** Lets every reader read the answer that it would have got, spoilt. */
export async function attackSpoilt(spoil: (json: string) => string): Promise<AttackOutcome> {
  const markets = madeExchanges();
  const server = await upstreamServer(Date.now, (upstream, path, now) => {
    // Pages and feeds are no upstreams, and have no answer here that could be spoilt.
    if (!Object.hasOwn(UPSTREAMS, upstream)) return undefined;
    const fixture = fixturesOf(upstream).find((one) => one.path === path);
    const made = markets(upstream, path, now) ?? madeCaptions(upstream, path, now);
    const found = made ?? fixture;
    return found === undefined
      ? undefined
      : { status: found.status, body: spoil(JSON.stringify(found.body)) };
  });
  try {
    return await readAll(server.host, { baseUrls: server.baseUrls, url: `http://${server.host}` });
  } finally {
    await server.close();
  }
}

async function readAll(
  host: string,
  { baseUrls, url }: { readonly baseUrls: Record<UpstreamId, string>; readonly url: string },
): Promise<AttackOutcome> {
  const egress = createEgress({ clock: realClock, userAgent: 'stoa/test', allowHosts: [host] });
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  const readers = Object.entries(documentReaders({ egress, baseUrls, url }));
  const outcomes = await Promise.all(
    readers.map(async ([name, read]) => ({ name, ...(await outcomeOf(read)) })),
  );
  delay.disable();
  await egress.close();
  const answered = outcomes.filter(({ isAnswer }) => isAnswer).length;
  const wrong = outcomes.flatMap(({ name, wrong: found }) =>
    found === undefined ? [] : [`${name}: ${found}`],
  );
  return { wrong, answered, readers: readers.length, blockedMs: delay.max / 1e6 };
}
