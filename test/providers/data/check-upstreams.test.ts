import { afterEach, beforeEach, expect, test } from 'vitest';
import { formatSources } from '../../../src/cli/server/sources.ts';
import { checkUpstreams } from '../../../src/providers/data/check-upstreams.ts';
import { createUpstreamReader } from '../../../src/providers/data/upstream-reader.ts';
import { UPSTREAMS, type UpstreamId } from '../../../src/providers/data/upstreams.ts';
import { createEgress, type Egress } from '../../../src/providers/net/egress.ts';
import { realClock } from '../../support/real-clock.ts';
import { hurriedClock } from '../../support/upstreams/hurried-clock.ts';
import { type UpstreamServer, upstreamServer } from '../../support/upstreams/upstream-server.ts';

const IDS = Object.keys(UPSTREAMS) as readonly UpstreamId[];
let server: UpstreamServer;
let egress: Egress;

beforeEach(async () => {
  server = await upstreamServer();
  egress = createEgress({ clock: realClock, userAgent: 'stoa/test', allowHosts: [server.host] });
});
afterEach(async () => {
  await egress.close();
  await server.close();
});

function check(contact: string | undefined, ids: readonly UpstreamId[] = IDS) {
  const clock = hurriedClock(20);
  const random = { bytes: (length: number) => new Uint8Array(length) };
  const { baseUrls } = server;
  const reader = createUpstreamReader({ egress, clock, random, baseUrls, contact });
  return checkUpstreams({ reader, clock }, ids);
}

test('every upstream of the table has a probe that its fixtures answer', async () => {
  const rows = await check('operator@example.org');
  expect(rows.filter(({ answered }) => !answered)).toEqual([]);
  expect(rows.map(({ upstream }) => upstream)).toEqual(IDS);
});

test('one that fails is told with its fault, and the others answer', async () => {
  server.dial('kraken', 'forbidden_page');
  const rows = await check('operator@example.org', ['kraken', 'coinbase']);
  expect(rows).toMatchObject([
    { upstream: 'kraken', answered: false, bytes: null, fault: 'blocked_by_upstream' },
    { upstream: 'coinbase', answered: true, fault: null },
  ]);
  const [first = '', second = ''] = formatSources(rows);
  expect(first).toBe('1 of 2 upstreams answered.');
  expect(second).toMatch(/^ {2}kraken {4}blocked_by_upstream +\d+ ms {2}HTTP 403$/);
});
