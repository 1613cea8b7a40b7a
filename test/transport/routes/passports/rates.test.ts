import { expect, test } from 'vitest';
import type { HttpExchange, HttpReply } from '../../../../src/transport/http/host.ts';
import { ratedRoutes } from '../../../../src/transport/routes/passports/ask.ts';
import { json } from '../../../../src/transport/routes/proofs/ask.ts';

test('an IPv6 network asks as one caller, however many addresses it has', async () => {
  const clock = { now: () => 0, at: () => () => undefined };
  const rated = ratedRoutes({ burst: 2, perMinute: 1 }, clock);
  const route = rated({ methods: ['GET'], path: '/here' }, async () => json(200, {}));
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
