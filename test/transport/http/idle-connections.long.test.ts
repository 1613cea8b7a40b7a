import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { ENGINES } from '../../support/engines.ts';
import { MALFORMED } from '../../support/raw-corpus.ts';
import { sendRaw } from '../../support/raw-http.ts';
import { startWorld } from './host.contract.ts';

const REQUEST = 'GET /echo HTTP/1.1\r\nHost: a\r\n\r\n';
/** Engines look at their connections every few seconds: begun apart, some meet the worst moment. */
const APART_MS = 500;
const CONNECTIONS = 10;

test.each(ENGINES)(
  'no connection of %s ends before the time that its answer told',
  async (engine) => {
    const { host, port } = await startWorld(engine);
    const kept = async (n: number) => {
      await sleep(n * APART_MS);
      const socket = connect(port, '127.0.0.1');
      socket.write(REQUEST);
      const [answer] = await once(socket, 'data');
      const at = performance.now();
      await once(socket, 'close');
      const told = Number(/keep-alive: timeout=(\d+)/i.exec(String(answer))?.[1]) * 1_000;
      return { told, wasKept: performance.now() - at };
    };
    const all = await Promise.all(Array.from({ length: CONNECTIONS }, (_, n) => kept(n)));
    for (const { told, wasKept } of all) {
      expect(told).toBeGreaterThanOrEqual(5_000);
      // Half a second is left for a request that is on its way.
      expect(wasKept).toBeGreaterThan(told + 500);
    }
    await host.close(100);
  },
  // node:http keeps them for two minutes.
  150_000,
);

test('a head that uWebSockets.js cannot read is closed in silence within 13 seconds', async () => {
  const { host, port } = await startWorld('uws');
  const heads = MALFORMED.filter(({ uws }) => uws === 'closes when idle').map(({ part }) => part);
  const parts = [...heads, 'GET /echo HTTP/1.1\r\nHost: a\r\n'];
  const ended = await Promise.all(parts.map((part) => sendRaw(port, [part], 13_000)));
  for (const { text, isClosed } of ended) expect([text, isClosed]).toEqual(['', true]);
  await host.close(100);
}, 30_000);
