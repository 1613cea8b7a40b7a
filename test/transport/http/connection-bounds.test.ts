import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { BodyDeadlines } from '../../../src/transport/http/body-deadlines.ts';
import { chooseHost } from '../../../src/transport/http/choose-host.ts';
import { CONNECTION_BOUNDS } from '../../../src/transport/http/host-options.ts';
import { realClock } from '../../support/real-clock.ts';

const SLOW = { timeout: 10_000 };

function opened(port: number): Promise<{ readonly socket: Socket; isClosed: boolean }> {
  return new Promise((done) => {
    const socket = connect(port, '127.0.0.1');
    const one = { socket, isClosed: false };
    socket.on('error', () => undefined);
    socket.on('data', () => undefined);
    socket.on('close', () => {
      one.isClosed = true;
      done(one);
    });
    setTimeout(() => done(one), 300);
  });
}

test('node:http holds its bound: who has asked stays, and the silent go, the oldest first', async () => {
  const host = chooseHost('node', '127.0.0.1', {
    clock: realClock,
    routes: [],
    streamWaitingBytesMax: 1,
    bounds: { connectionsMax: 3 },
  });
  const port = await host.listen('127.0.0.1', 0);
  const asked = await opened(port);
  asked.socket.write(`GET /healthz HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n\r\n`);
  await once(asked.socket, 'data');
  const silent: Awaited<ReturnType<typeof opened>>[] = [];
  for (let count = 0; count < 4; count += 1) silent.push(await opened(port));
  await expect
    .poll(() => silent.map(({ isClosed }) => isClosed))
    .toEqual([true, true, false, false]);
  expect(asked.isClosed).toBe(false);
  for (const { socket } of silent) socket.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n');
  await Promise.all(silent.slice(2).map(({ socket }) => once(socket, 'data')));
  // Nobody is silent any more: the newest has no room.
  const newest = await opened(port);
  await expect.poll(() => newest.isClosed, SLOW).toBe(true);
  asked.socket.destroy();
  await expect.poll(async () => (await opened(port)).isClosed, SLOW).toBe(false);
  for (const { socket } of silent) socket.destroy();
  await host.close(10);
});

test('a body in pieces has its time, and one that came whole is left alone', async () => {
  const ended: string[] = [];
  const late = new BodyDeadlines(realClock, { ...CONNECTION_BOUNDS, requestMs: 60, lookMs: 20 });
  const body = (name: string) => ({ tooLate: () => ended.push(name) });
  const [slow, whole] = [body('slow'), body('whole')];
  const end = {
    tooLate: () => {
      slow.tooLate();
      late.unwatch(end);
    },
  };
  late.watch(end);
  late.watch(whole);
  late.unwatch(whole);
  await new Promise((done) => setTimeout(done, 200));
  expect(ended).toEqual(['slow']);
  late.stop();
});
