import { mkdirSync, readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { afterAll, describe, expect, test } from 'vitest';
import { refuseFewDescriptors } from '../../src/process/own-descriptors.ts';
import { ENGINES } from '../support/engines.ts';
import { healthAt, Idle, nodeWithDescriptors } from '../support/few-descriptors.ts';
import { cleanUp, freshDataDir, startRealServer, until } from '../support/real-server.ts';

/** As an operator's shell may have it, and less than what comes. */
const MAX = 1_024;
const FLOOD = 1_400;
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
    const kept = keptConnection(port);
    expect(await kept.ask()).toBe(200);

    const idle = new Idle();
    await idle.open(port, FLOOD);
    // It keeps some for itself.
    await until(() => idle.refused > FLOOD - MAX && open() < MAX - 32);
    expect(await kept.ask()).toBe(200);
    await until(async () => (await healthAt(port)) === 200);
    await idle.open(port, FLOOD);
    await until(async () => (await healthAt(port)) === 200);
    expect(await kept.ask()).toBe(200);
    expect(server.errors().match(/too many connections/g)).toHaveLength(1);
    expect(server.errors()).not.toMatch(/EMFILE|INTERNAL/);

    idle.close();
    kept.close();
    await until(() => open() < before + 80);
    expect(await healthAt(port)).toBe(200);
    expect(await server.stop()).toBe(0);
  });
});

test('too few to begin with are refused in words', () => {
  expect(() => refuseFewDescriptors(64)).toThrow(
    expect.objectContaining({ code: 'CONFIG_INVALID', data: { received: 64, allowed: 256 } }),
  );
  expect(refuseFewDescriptors(MAX)).toBeUndefined();
});

/** A client that was there before the others. */
function keptConnection(port: number) {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  return {
    ask: () =>
      new Promise<number>((done) => {
        socket.once('close', () => done(0));
        socket.once('data', (chunk: Buffer) => done(Number(chunk.toString().slice(9, 12))));
        socket.write(`GET /healthz HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n\r\n`);
      }),
    close: () => socket.destroy(),
  };
}
