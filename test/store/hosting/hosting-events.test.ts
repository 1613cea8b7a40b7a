import { afterEach, beforeEach, expect, test } from 'vitest';
import type { EventType } from '../../../src/domain/hosting/event-types.ts';
import type { JournaledEvent } from '../../../src/domain/hosting/service-history.ts';
import {
  type HostingEvents,
  openHostingEvents,
} from '../../../src/store/hosting/hosting-events.ts';
import { tempDir } from '../../support/temp-dir.ts';

let dir: ReturnType<typeof tempDir>;
let events: HostingEvents;

beforeEach(() => {
  dir = tempDir();
  events = openHostingEvents({ path: dir.path });
});
afterEach(async () => {
  await events.close();
  dir.remove();
});

test('pages go through a history newest first, without loss or repeat, also within one ms', async () => {
  const all = Array.from({ length: 25 }, (_, at) => happened('srv-a', Math.floor(at / 4), at));
  await events.append([...all, happened('srv-b', 3, 900)], 901);
  const seen: string[] = [];
  let cursor = '';
  for (;;) {
    const page = events.list({ serviceId: 'srv-a', limit: 4, cursor });
    seen.push(...page.items.map(({ item }) => item.id));
    cursor = page.items.at(-1)?.cursor ?? '';
    if (!page.hasMore) break;
  }
  expect(seen).toEqual(all.map(({ event }) => event.id).reverse());
});

test('types and times narrow a page, both ends included', async () => {
  const types: EventType[] = ['build_started', 'build_ended', 'deploy_started'];
  await events.append(
    types.map((type, at) => happened('srv-a', 10 + at, at, type)),
    3,
  );
  const typesOf = (o: { start?: number; end?: number; types?: EventType[] }) =>
    events.list({ serviceId: 'srv-a', limit: 10, ...o }).items.map(({ item }) => item.type);
  expect(typesOf({ start: 10, end: 11 })).toEqual(['build_ended', 'build_started']);
  expect(typesOf({ start: 12, end: 12 })).toEqual(['deploy_started']);
  expect(typesOf({ types: ['build_started'] })).toEqual(['build_started']);
});

test('the position is kept with the events, and a repeat changes nothing', async () => {
  const one = happened('srv-a', 1, 7);
  await events.append([one], 8);
  await events.append([one], 8);
  await events.close();
  events = openHostingEvents({ path: dir.path });
  expect(events.position).toBe(8);
  expect(events.list({ serviceId: 'srv-a', limit: 10 }).items).toHaveLength(1);
});

test('what is too old goes, of every service', async () => {
  await events.append(
    [1, 5].flatMap((at) => [happened('srv-a', at, at), happened('srv-b', at, at)]),
    6,
  );
  expect(await events.trim(5)).toBe(2);
  for (const serviceId of ['srv-a', 'srv-b']) {
    const { items } = events.list({ serviceId, limit: 10 });
    expect(items.map(({ item }) => item.timestamp)).toEqual([new Date(5).toISOString()]);
  }
});

test('of a service only the newest 10,000 are kept', async () => {
  const many = Array.from({ length: 10_003 }, (_, at) => happened('srv-a', at, at));
  await events.append(many, 10_003);
  expect(await events.trim(100)).toBe(97);
});

test.each(['x', '1.2', '1.2.3.4', '-1.0.0'])('the cursor %s is refused', (cursor) => {
  expect(() => events.list({ serviceId: 'srv-a', limit: 10, cursor })).toThrow(/cursor/);
});

test.each([0, 101, 1.5])('a page of %s is refused', (limit) => {
  expect(() => events.list({ serviceId: 'srv-a', limit })).toThrow(/limit/);
});

function happened(
  serviceId: string,
  at: number,
  globalSeq: number,
  type: EventType = 'deploy_started',
): JournaledEvent {
  const id = `evt-${serviceId}-${globalSeq}`;
  const timestamp = new Date(at).toISOString();
  return { event: { id, serviceId, timestamp, type, details: {} }, globalSeq, n: 0 };
}
