import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { NewPublicEvent, PublicEvent } from '../../../src/domain/event/event-log.ts';
import { EVENT_READS, eventRoutes } from '../../../src/transport/event/event-routes.ts';
import type { HttpEngine } from '../../../src/transport/http/host.ts';
import { ENGINES } from '../../support/engines.ts';
import { type FrontRig, startFront } from '../../support/front-rig.ts';
import { proofRig, soon } from '../../support/proof-rig.ts';
import { realClock } from '../../support/real-clock.ts';

const LIMITS = { perAddress: 2, total: 3 };
const NOW = Date.UTC(2026, 0, 1);
let count = 0;

function told(subject: string): NewPublicEvent {
  count += 1;
  return {
    key: `key ${count}`,
    type: 'job.released',
    ref: `job_${count}`,
    data: { n: count },
    subjects: [subject],
    happenedAt: NOW + count,
  };
}

function bulky(): NewPublicEvent {
  return { ...told('0xdd'), data: { text: 'x'.repeat(4_000) } };
}

/** A reader that takes nothing until it is resumed. */
async function slowReader(url: string) {
  const asked = get(url, { headers: { accept: 'text/event-stream' } });
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  answer.pause();
  return { answer, close: () => asked.destroy() };
}

interface Page {
  readonly events: readonly PublicEvent[];
  readonly next: number;
  readonly size: number;
}

/** A reader of server-sent events. */
async function listen(url: string, headers: Record<string, string> = {}) {
  const stop = new AbortController();
  const answer = await fetch(url, {
    headers: { accept: 'text/event-stream', ...headers },
    signal: stop.signal,
  });
  const heard: { id: number; event: PublicEvent }[] = [];
  let isOver = false;
  const reading = (async () => {
    let text = '';
    const decoder = new TextDecoder();
    for await (const chunk of answer.body ?? []) {
      text += decoder.decode(chunk, { stream: true });
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        const [, id, data] = /^id: (\d+)\ndata: (.*)$/.exec(block) ?? [];
        if (id !== undefined) heard.push({ id: Number(id), event: JSON.parse(data ?? 'null') });
      }
    }
  })().catch(() => undefined);
  const ended = reading.finally(() => {
    isOver = true;
  });
  const end = (): Promise<void> => {
    stop.abort();
    return ended;
  };
  const seqs = () => heard.map(({ event }) => event.seq);
  return { answer, heard, seqs, isOver: () => isOver, stop: end };
}

/** A front with the feed of 250 events, for the tests of one group. */
function served(engine: HttpEngine) {
  const rig = proofRig();
  const { events } = rig;
  let front: FrontRig;
  const open: { stop(): Promise<unknown> }[] = [];
  beforeAll(async () => {
    for (let n = 0; n < 250; n += 1) await events.append(told(n % 10 === 0 ? '0xAA' : '0xbb'));
    const routes = eventRoutes({ events, clock: realClock, limits: LIMITS });
    front = await startFront(engine, { routes });
  });
  afterEach(async () => {
    for (const each of open.splice(0)) await each.stop();
  });
  afterAll(async () => {
    await front.front.close();
    await rig.close();
  });
  const url = (query: string) => `${front.baseUrl}/v1/events${query}`;
  const page = async (query: string): Promise<Page> => {
    const answer = await fetch(url(query));
    expect(answer.status, query).toBe(200);
    return (await answer.json()) as Page;
  };
  const hear = async (query: string, headers?: Record<string, string>) => {
    const reader = await listen(url(query), headers);
    open.push(reader);
    return reader;
  };
  return { rig, url, page, hear };
}

describe.each(ENGINES)('pages of the feed through the %s engine', (engine) => {
  const { rig, page } = served(engine);

  test('pages lead through every event, once and in order, and say how many there are', async () => {
    const seen: number[] = [];
    let from = 0;
    for (;;) {
      const { events, next, size } = await page(`?from=${from}&limit=60`);
      seen.push(...events.map(({ seq }) => seq));
      expect(size).toBe(rig.events.size);
      if (events.length === 0) break;
      from = next;
    }
    expect(seen).toEqual(Array.from({ length: rig.events.size }, (_, n) => n));
    expect(await page('?from=99999')).toMatchObject({ events: [], next: 99_999 });
    expect((await page('')).events).toHaveLength(100);
  });

  test('events about one subject are found in any case, and their pages go on at the right place', async () => {
    const first = await page('?subject=0xAa&limit=20');
    expect(first.events.map(({ seq }) => seq)).toEqual(
      Array.from({ length: 20 }, (_, n) => 10 * n),
    );
    expect(first.next).toBe(191);
    const second = await page(`?subject=0xaa&limit=20&from=${first.next}`);
    expect(second.events.map(({ seq }) => seq)).toEqual([200, 210, 220, 230, 240]);
    expect(second.next).toBe(rig.events.size);
    expect((await page('?subject=nobody')).events).toEqual([]);
  });
});

describe.each(ENGINES)('streams of the feed through the %s engine', (engine) => {
  const { rig, url, hear } = served(engine);

  test('a reader of the stream hears what comes, and after a break what it missed, once', async () => {
    const reader = await hear('');
    expect(reader.answer.headers.get('content-type')).toBe('text/event-stream');
    const { seq } = await rig.events.append(told('0xcc'));
    await soon(() => reader.heard.length === 1);
    expect(reader.heard[0]).toMatchObject({ id: seq, event: { seq, subjects: ['0xcc'] } });
    await reader.stop();
    for (let n = 0; n < 3; n += 1) await rig.events.append(told('0xcc'));
    const again = await hear('', { 'last-event-id': String(seq) });
    await soon(() => again.heard.length === 3);
    expect(again.seqs()).toEqual([seq + 1, seq + 2, seq + 3]);
  });

  test('a stream from the first event on gives all of a subject, then what comes', async () => {
    const reader = await hear('?from=0&subject=0xaa');
    await soon(() => reader.heard.length === 25);
    await rig.events.append(told('0xbb'));
    const { seq } = await rig.events.append(told('0xAA'));
    await soon(() => reader.heard.length === 26);
    expect(reader.seqs()).toEqual([...Array.from({ length: 25 }, (_, n) => 10 * n), seq]);
  });

  test('a reader that stops reading for a while is not dropped, and misses nothing', async () => {
    const from = rig.events.size;
    const { answer, close } = await slowReader(url(`?from=${from}`));
    const told = Array.from({ length: 3_000 }, () => rig.events.append(bulky()));
    const last = (await Promise.all(told)).at(-1)?.seq ?? 0;
    const seen: number[] = [];
    let text = '';
    answer.on('data', (chunk: Buffer) => {
      text += chunk.toString('utf8');
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        const [, id] = /^id: (\d+)$/m.exec(block) ?? [];
        if (id !== undefined) seen.push(Number(id));
      }
    });
    answer.resume();
    await soon(() => seen.at(-1) === last);
    expect(seen).toEqual(Array.from({ length: last - from + 1 }, (_, n) => from + n));
    close();
  });
});

describe.each(ENGINES)('what the feed refuses through the %s engine', (engine) => {
  const { url, hear } = served(engine);

  test('one address opens a few streams and no more, until one of them ends', async () => {
    const [first] = [await hear(''), await hear('')];
    const refused = await listen(url(''));
    expect(refused.answer.status).toBe(429);
    expect(Number(refused.answer.headers.get('retry-after'))).toBeGreaterThan(0);
    await first.stop();
    let status = 0;
    for (let tries = 0; status !== 200 && tries < 50; tries += 1) {
      await new Promise((done) => setTimeout(done, 20));
      const again = await hear('');
      status = again.answer.status;
    }
    expect(status).toBe(200);
  });

  test.each([
    ['?from=-1', '0 to'],
    ['?from=1.5', '0 to'],
    ['?from=0&from=1', 'each at most once'],
    ['?limit=0', '1 to 1000'],
    ['?limit=1001', '0 to 1000'],
    ['?subject=', '1 to 256'],
    [`?subject=${'x'.repeat(257)}`, '1 to 256'],
    ['?key=1', 'from, limit, subject'],
  ])('%s is refused with what is allowed', async (query, allowed) => {
    for (const accept of ['application/json', 'text/event-stream']) {
      const answer = await fetch(url(query), { headers: { accept } });
      expect(answer.status).toBe(422);
      const body = (await answer.json()) as { error: string };
      expect(body.error).toBe('INPUT_INVALID');
      expect(JSON.stringify(body)).toContain(allowed);
    }
  });

  test('a Last-Event-ID that is no number is refused, and so is any other method', async () => {
    const answer = await fetch(url(''), { headers: { 'last-event-id': 'abc' } });
    expect(answer.status).toBe(422);
    const posted = await fetch(url(''), { method: 'POST' });
    expect(posted.status).toBe(405);
  });
});

test('a server that closes ends its streams at once', async () => {
  const rig = proofRig();
  const { events } = rig;
  const routes = eventRoutes({ events, clock: realClock });
  const front = await startFront('node', { routes, limits: { closeGraceMs: 60_000 } });
  const reader = await listen(`${front.baseUrl}/v1/events`);
  const begun = performance.now();
  await front.front.close();
  await soon(() => reader.isOver());
  expect(performance.now() - begun).toBeLessThan(5_000);
  await rig.close();
});

test('an address that asks too often is told when to come back', async () => {
  const rig = proofRig();
  const { events } = rig;
  const clock = { now: () => NOW, at: () => () => undefined };
  const front = await startFront('node', { routes: eventRoutes({ events, clock }) });
  const ask = () => fetch(`${front.baseUrl}/v1/events?limit=1`);
  for (let n = 0; n < EVENT_READS.burst; n += 1) expect((await ask()).status).toBe(200);
  const refused = await ask();
  expect(refused.status).toBe(429);
  expect(refused.headers.get('retry-after')).toBe('1');
  await front.front.close();
  await rig.close();
});
