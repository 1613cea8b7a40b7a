import { randomBytes } from 'node:crypto';
import { expect, test, vi } from 'vitest';
import { openRouterRig, RawClient, routeTo } from '../support/router-rig.ts';

const HOST = 'web.localhost';
const OTHERS = 20;

test('a large answer comes whole to a slow client, beside others of the same instance', async () => {
  const rig = await openRouterRig();
  const large = randomBytes(4_194_304);
  const small = 'z'.repeat(60_000);
  const one = await rig.instance('one', (call, answer) => {
    answer.end(call.url === '/large' ? large : small);
  });
  rig.route(routeTo(HOST, one));
  const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`;
  const slow = new RawClient(rig.router.port);
  slow.socket.pause();
  slow.send(get('/large'));
  await vi.waitFor(() => expect(rig.router.state().underWay).toEqual({ one: 1 }), 5_000);
  const other = new RawClient(rig.router.port);
  other.send(get('/').repeat(OTHERS));
  await vi.waitFor(() => expect(other.text.split(small)).toHaveLength(OTHERS + 1), 20_000);
  expect(rig.router.state().underWay).toEqual({ one: 1 });
  slow.socket.resume();
  await vi.waitFor(() => expect(rig.router.state().underWay).toEqual({}), 20_000);
  await vi.waitFor(() => expect(slow.text.length).toBeGreaterThan(large.length), 20_000);
  expect(slow.text.slice(slow.text.indexOf('\r\n\r\n') + 4) === large.toString('latin1')).toBe(
    true,
  );
  for (const client of [slow, other]) client.socket.destroy();
  await rig.close();
}, 60_000);
