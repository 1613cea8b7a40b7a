import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { listenExclusively, rejectUsedPort } from '../../../src/process/server/own-port.ts';
import { chooseHost } from '../../../src/transport/http/choose-host.ts';
import type { HttpEngine, HttpHost } from '../../../src/transport/http/host.ts';
import { ENGINES } from '../../support/engines.ts';
import { HAS_IPV6 } from '../../support/loopback.ts';
import { realClock } from '../../support/real-clock.ts';

const hosts: HttpHost[] = [];
const servers: Server[] = [];

afterEach(async () => {
  await Promise.all(hosts.splice(0).map((host) => host.close(0)));
  for (const server of servers.splice(0)) server.close();
});

/** Everything from which `localhost`, or a machine for others, is served. */
const PLACES = ['127.0.0.1', 'localhost', '0.0.0.0', ...(HAS_IPV6 ? ['::1', '::'] : [])];

async function serve(engine: HttpEngine, host: string, port: number): Promise<number> {
  const made = chooseHost(engine, '127.0.0.1', {
    clock: realClock,
    routes: [],
    streamWaitingBytesMax: 1_024,
  });
  hosts.push(made);
  await rejectUsedPort({ host, port });
  return (
    await listenExclusively({ host, port }, async () => ({ port: await made.listen(host, port) }))
  ).port;
}

async function hold(host: string): Promise<number> {
  const server = createServer().listen(0, host);
  servers.push(server);
  await once(server, 'listening');
  return (server.address() as { port: number }).port;
}

describe.each(ENGINES)('over %s', (engine) => {
  describe.each(ENGINES)('after one over %s', (before) => {
    test.each(PLACES.flatMap((first) => PLACES.map((second) => [first, second] as const)))(
      'a server at %s leaves no room for one at %s',
      async (first, second) => {
        const port = await serve(before, first, 0);
        await expect(serve(engine, second, port)).rejects.toMatchObject({
          code: 'PORT_IN_USE',
          data: { host: second, port, pid: process.pid },
          message: expect.stringMatching(/ Pass `--port \d+` or `--port 0` \(any free port\)\.$/),
        });
      },
    );

    // Nobody looks before: what the kernel and the engine do by themselves.
    test.each(
      [
        ...[['127.0.0.1', '127.0.0.1'] as const, ['0.0.0.0', '127.0.0.1'] as const],
        ...[['127.0.0.1', '0.0.0.0'] as const, ['::', '127.0.0.1'] as const],
        ...[['::1', '127.0.0.1'] as const, ['127.0.0.1', '::1'] as const],
      ].filter((pair) => pair.every((host) => PLACES.includes(host))),
    )('one that did not look is refused as well: %s, then %s', async (first, second) => {
      const port = await serve(before, first, 0);
      const made = chooseHost(engine, '127.0.0.1', {
        clock: realClock,
        routes: [],
        streamWaitingBytesMax: 1_024,
      });
      hosts.push(made);
      const wanted = { host: second, port };
      const listening = listenExclusively(wanted, async () => ({
        port: await made.listen(second, port),
      }));
      await expect(listening).rejects.toMatchObject({ code: 'PORT_IN_USE' });
    });
  });

  test('the port that is suggested is free', async () => {
    const port = await serve(engine, '127.0.0.1', 0);
    const refused = await rejectUsedPort({ host: '127.0.0.1', port }).catch((thrown) => thrown);
    const { free_port: free } = refused.data;
    expect(await serve(engine, '127.0.0.1', free)).toBe(free);
  });

  test('an address of another machine is told as such', async () => {
    const code = 'CONFIG_INVALID';
    await expect(serve(engine, '192.0.2.1', 8402)).rejects.toMatchObject({ code });
  });

  test('a port is free again once its server has ended', async () => {
    const port = await serve(engine, '127.0.0.1', 0);
    await Promise.all(hosts.splice(0).map((host) => host.close(0)));
    expect(await serve(engine, '127.0.0.1', port)).toBe(port);
  });
});

test.each(PLACES)('what is held at %s by a program of others is refused', async (host) => {
  const port = await hold(host);
  for (const second of PLACES) {
    await expect(rejectUsedPort({ host: second, port })).rejects.toMatchObject({
      code: 'PORT_IN_USE',
    });
  }
});

test('port 0 is never held', async () => {
  await expect(rejectUsedPort({ host: '127.0.0.1', port: 0 })).resolves.toBeUndefined();
});
