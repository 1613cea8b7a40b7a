import { mkdirSync, readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { afterAll, describe, expect, test } from 'vitest';
import { rejectFewDescriptors } from '../../src/process/server/descriptor-limits.ts';
import { ENGINES } from '../support/engines.ts';
import { healthAt, Idle, nodeWithDescriptors } from '../support/few-descriptors.ts';
import { cleanUp, freshDataDir, startRealServer, until } from '../support/real-server.ts';

/** As an operator's shell may have it, and less than what comes. */
const MAX = 1_024;
const FLOOD = 1_400;
/** How often the honest client asks, in milliseconds: idle ones are ended after ten seconds. */
const ASK_MS = 250;
/** Limits of descriptors are told, and bind, in this way on Linux only. */
const isLinux = process.platform === 'linux';

afterAll(cleanUp);

describe.skipIf(!isLinux).each(ENGINES)('over %s', { timeout: 180_000 }, (http) => {
  test('idle connections use the descriptors up, and nothing ends', async () => {
    const folder = freshDataDir();
    mkdirSync(folder, { recursive: true });
    const node = nodeWithDescriptors(folder, MAX);
    const server = await startRealServer(freshDataDir(), ['--http', http], {}, node);
    const port = Number(new URL(server.ready.base_url).port);
    const open = () => readdirSync(`/proc/${server.ready.pid}/fd`).length;
    const before = open();
    const kept = keepAsking(port);

    const idle = new Idle();
    await idle.open(port, FLOOD);
    // It keeps some for itself.
    await until(() => idle.refused > FLOOD - MAX && open() < MAX - 32);
    await until(async () => (await healthAt(port)) === 200);
    expect(server.errors().match(/connection limit reached/g)).toHaveLength(1);
    expect(server.errors()).not.toMatch(/EMFILE|INTERNAL/);

    idle.close();
    expect(await kept.end()).toEqual({ failed: 0 });
    await until(() => open() < before + 80);
    expect(await healthAt(port)).toBe(200);
    expect(await server.stop()).toBe(0);
  });
});

test('too few to begin with are refused in words', () => {
  expect(() => rejectFewDescriptors(64)).toThrow(
    expect.objectContaining({ code: 'CONFIG_INVALID', data: { received: 64, allowed: 256 } }),
  );
  expect(rejectFewDescriptors(MAX)).toBeUndefined();
});

/** A client that was there before the others, and asks over its one connection all the time. */
function keepAsking(port: number) {
  const socket = connect(port, '127.0.0.1');
  let failed = 0;
  socket.on('error', () => undefined);
  socket.on('close', () => {
    failed += 1;
  });
  socket.on('data', (chunk: Buffer) => {
    if (!chunk.toString('latin1').startsWith('HTTP/1.1 200 ')) failed += 1;
  });
  const timer = setInterval(() => {
    socket.write(`GET /healthz HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n\r\n`);
  }, ASK_MS);
  return {
    end: async () => {
      clearInterval(timer);
      socket.removeAllListeners('close').destroy();
      return { failed };
    },
  };
}
