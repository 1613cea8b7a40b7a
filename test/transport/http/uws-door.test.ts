import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { plain } from '../../../src/transport/http/admit.ts';
import { chooseHost } from '../../../src/transport/http/choose-host.ts';
import type { HttpHost } from '../../../src/transport/http/host.ts';
import { HAS_NATIVE } from '../../support/engines.ts';
import { healthAt } from '../../support/few-descriptors.ts';
import { realClock } from '../../support/real-clock.ts';

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
        handle: (exchange) => exchange.reply(plain(200, 'ok')),
      },
    ],
    descriptors: {
      few: FEW,
      room: () => FEW,
      next: () => given.next,
      hold: () => {
        told.push('hold');
        return given.mayHold;
      },
      release: () => told.push('release'),
      refused: () => told.push('refused'),
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
