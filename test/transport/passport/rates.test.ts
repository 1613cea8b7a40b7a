import { expect, test } from 'vitest';
import type { HttpExchange, HttpReply } from '../../../src/transport/http/host.ts';
import {
  createNetworkLimiter,
  createRatedRoutes,
} from '../../../src/transport/passport/read-request.ts';
import { jsonReply } from '../../../src/transport/proof/replies.ts';

test('an IPv6 network asks as one caller, however many addresses it has', async () => {
  const clock = { now: () => 0, at: () => () => undefined };
  const rated = createRatedRoutes({ burst: 2, perMinute: 1 }, clock);
  const route = rated({ methods: ['GET'], path: '/here' }, async () => jsonReply(200, {}));
  const ask = async (remoteAddress: string): Promise<number> => {
    const replies: HttpReply[] = [];
    const request = { method: 'GET', path: '/here', query: '', headers: [], remoteAddress };
    const reply = (one: HttpReply) => void replies.push(one);
    await route.handle({ request, body: Buffer.alloc(0), reply } as unknown as HttpExchange);
    return replies[0]?.status ?? 0;
  };
  const asked = ['2001:db8::1', '2001:db8::2', '2001:db8::3', '2001:db8:0:1::1', '192.0.2.1'];
  const statuses = [];
  for (const address of asked) statuses.push(await ask(address));
  expect(statuses).toEqual([200, 200, 429, 200, 200]);
});

test.each([
  [(at: number) => `198.51.100.${at}`, 5],
  [(at: number) => `::ffff:198.51.100.${at}`, 5],
  [(at: number) => `2001:db8::${at.toString(16)}`, 5],
  [(at: number) => `198.51.${at}.1`, 200],
  [(at: number) => `2001:db8:0:${at.toString(16)}::1`, 200],
  [(at: number) => `127.0.0.${at}`, 200],
  [() => '::1', 200],
])('a network asks for so much at once, and this machine as it likes: %#', (addressOf, allowed) => {
  const clock = { now: () => 0, at: () => () => undefined };
  const gate = createNetworkLimiter({ burst: 5, perMinute: 1 }, clock);
  let passed = 0;
  for (let at = 1; at <= 200; at += 1) {
    try {
      gate(addressOf(at));
      passed += 1;
    } catch (error) {
      expect(error).toMatchObject({ code: 'RATE_LIMITED', data: { allowed: 5 } });
    }
  }
  expect(passed).toBe(allowed);
});
