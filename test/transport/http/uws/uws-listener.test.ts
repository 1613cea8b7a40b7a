import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { plainReply } from '../../../../src/transport/http/admit.ts';
import { chooseHost } from '../../../../src/transport/http/choose-host.ts';
import type { HttpHost } from '../../../../src/transport/http/host.ts';
import { UwsListener } from '../../../../src/transport/http/uws/uws-listener.ts';
import type { UwsApi, UwsApp } from '../../../../src/transport/http/uws/uws-native.ts';
import { HAS_NATIVE } from '../../../support/engines.ts';
import { healthAt } from '../../../support/few-descriptors.ts';
import { realClock } from '../../../support/real-clock.ts';

const FEW = 1_000;
const SLOW = { timeout: 10_000 };
let host: HttpHost | undefined;

afterEach(() => host?.close(0));

async function opened() {
  const told: string[] = [];
  const given = { next: 50 as number | undefined, mayHold: true };
  host = chooseHost('uws', '127.0.0.1', {
    clock: realClock,
    streamWaitingBytesMax: 1_024,
    routes: [
      {
        methods: ['GET'],
        path: '/healthz',
        handle: (exchange) => exchange.reply(plainReply(200, 'ok')),
      },
    ],
    descriptors: {
      lowWatermark: FEW,
      connectionCapacity: () => FEW,
      nextDescriptor: () => given.next,
      reserve: () => {
        told.push('hold');
        return given.mayHold;
      },
      release: () => told.push('release'),
      onRejected: () => told.push('refused'),
    },
  });
  return { told, given, port: await host.listen('127.0.0.1', 0) };
}

describe.skipIf(!HAS_NATIVE)('a door of uWebSockets.js', () => {
  test.each([
    ['none is left', undefined],
    ['few are left', FEW],
    ['there are too many connections', 50 + 25_000],
  ])('steps aside when %s, and comes back when it may', async (_why, next) => {
    const { told, given, port } = await opened();
    const idle = connect(port, '127.0.0.1');
    await once(idle, 'connect');
    expect(told).toEqual(['hold']);
    given.next = next;
    await expect.poll(() => told, SLOW).toEqual(['hold', 'release', 'refused']);
    // Somebody answers all the while, at the same address.
    await expect.poll(() => healthAt(port), SLOW).toBe(200);
    given.next = 60;
    given.mayHold = false;
    await expect.poll(() => told.at(-1), SLOW).toBe('hold');
    given.mayHold = true;
    await expect.poll(() => healthAt(port), SLOW).toBe(200);
    // A connection of before is served to its end.
    idle.write(`GET /healthz HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n\r\n`);
    const [answer] = await once(idle, 'data');
    expect(String(answer)).toContain('200 OK');
    idle.destroy();
  });
});

/** A door with an engine and a stand-in that note what they are asked. */
function fakeDoor(refusals: number) {
  const asked: string[] = [];
  const given = { next: 50, refusals };
  const app = {
    listen: (...args: readonly unknown[]) => (args[3] as (socket: object) => void)({}),
  };
  const api = { us_socket_local_port: () => 80, us_listen_socket_close: () => undefined };
  const door = new UwsListener({
    api: api as unknown as UwsApi,
    app: app as unknown as UwsApp,
    clock: realClock,
    connectionsMax: 10,
    descriptors: {
      lowWatermark: FEW,
      connectionCapacity: () => FEW,
      nextDescriptor: () => given.next,
      reserve: () => true,
      release: () => undefined,
      onRejected: () => undefined,
    },
    fallback: {
      listen: async (_host, port) => {
        asked.push('listen');
        given.refusals -= 1;
        if (given.refusals >= 0) throw new Error('the port is taken');
        return port;
      },
      stopListening: () => asked.push('leave'),
    },
  });
  return { asked, given, door };
}

test('a stand-in that cannot listen is asked again until it can, and once only', SLOW, async () => {
  const { asked, given, door } = fakeDoor(2);
  await door.start('127.0.0.1', 80);
  given.next = 60;
  await expect.poll(() => asked, SLOW).toEqual(['listen', 'listen', 'listen']);
  await new Promise((done) => setTimeout(done, 600));
  expect(asked).toHaveLength(3);
  given.next = 50;
  await expect.poll(() => asked, SLOW).toEqual(['listen', 'listen', 'listen', 'leave']);
  door.close();
});
