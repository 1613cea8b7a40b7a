import { type AddressInfo, createServer, type ListenOptions, type Server } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { checkReachability } from '../../src/providers/hosting/local/instances.ts';
import { type Listener, listListeners } from '../../src/system/ports.ts';
import { HAS_IPV6 } from '../support/loopback.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

const REACHED = ['127.0.0.1', '0.0.0.0'];
const ROUTED = { address: '127.0.0.1' };
const UNREACHED = ['127.0.0.2', '127.255.1.9'];

test.each(REACHED)('a program that listens at %s is reached', async (host) => {
  const port = await listen({ host });
  expect(checkReachability(listListeners([process.pid]), port)).toEqual(ROUTED);
});

test.each(UNREACHED)('a program that listens at %s alone is not reached', async (host) => {
  const port = await listen({ host });
  expect(checkReachability(listListeners([process.pid]), port)).toEqual({
    unreached: `it listens on PORT (${port}) only at ${host}: listen on 0.0.0.0 or 127.0.0.1`,
  });
});

test.runIf(HAS_IPV6)('a program that listens for both families or at ::1 is reached', async () => {
  const both = await listen({ host: '::' });
  expect(checkReachability(listListeners([process.pid]), both)).toEqual(ROUTED);
  const six = await listen({ host: '::1' });
  expect(checkReachability(listListeners([process.pid]), six)).toEqual({ address: '::1' });
});

test('the port that a program listens on in place of its own is named', async () => {
  const port = await listen({ host: '127.0.0.1' });
  const own = listListeners([process.pid]).filter((each) => each.isOwn && each.port === port);
  expect(checkReachability(own, port + 1)).toEqual({
    unreached: `it does not listen on PORT (${port + 1}); it listens on ${port}`,
  });
  expect(checkReachability([], 80)).toEqual({ unreached: 'it does not listen on PORT (80)' });
});

test('a listener of another program is not taken for its own', async () => {
  const port = await listen({ host: '127.0.0.1' });
  const unreached = (words: string) => ({ unreached: expect.stringContaining(words) });
  expect(checkReachability(listListeners([]), port)).toEqual(unreached('it does not listen'));
  const at = (host: string, isOwn: boolean): Listener => ({ host, isOwn, port: 80 });
  expect(checkReachability([at('::', true)], 80)).toEqual(ROUTED);
  expect(checkReachability([at('::', true), at('127.0.0.1', false)], 80)).toEqual(
    unreached('only at ::'),
  );
  expect(checkReachability([at('::1', true), at('0.0.0.0', true)], 80)).toEqual(ROUTED);
  expect(checkReachability([at('::1', false)], 80)).toEqual(unreached('it does not listen'));
  expect(checkReachability([at('10.0.0.7', true)], 80)).toEqual(unreached('only at 10.0.0.7'));
});

async function listen(options: ListenOptions): Promise<number> {
  const server = createServer();
  servers.push(server);
  await new Promise<void>((done) => server.listen({ ...options, port: 0 }, done));
  return (server.address() as AddressInfo).port;
}
