import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { ENGINES } from '../../support/engines.ts';
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
  40_000,
);
