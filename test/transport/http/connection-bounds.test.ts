import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { BodyDeadlines } from '../../../src/transport/http/body-deadlines.ts';
import { chooseHost } from '../../../src/transport/http/choose-host.ts';
import { CONNECTION_BOUNDS } from '../../../src/transport/http/host-options.ts';
import { sendRaw } from '../../support/raw-http.ts';
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

test('node:http holds its bound: the silent go first, then the longest wait, never an open request', async () => {
  const host = chooseHost('node', '127.0.0.1', {
    clock: realClock,
    routes: [{ methods: ['GET'], path: '/hold', handle: () => undefined }],
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
  // Nobody is silent any more: who has waited longest for a request makes room.
  const newest = await opened(port);
  expect(newest.isClosed).toBe(false);
  await expect.poll(() => asked.isClosed, SLOW).toBe(true);
  const holding = [...silent.slice(2), newest];
  for (const { socket } of holding) socket.write('GET /hold HTTP/1.1\r\nhost: a\r\n\r\n');
  await new Promise((done) => setTimeout(done, 100));
  // Nobody waits either: the next one has no room.
  expect((await opened(port)).isClosed).toBe(true);
  expect(holding.map(({ isClosed }) => isClosed)).toEqual([false, false, false]);
  newest.socket.destroy();
  await expect.poll(async () => (await opened(port)).isClosed, SLOW).toBe(false);
  for (const { socket } of silent) socket.destroy();
  await host.close(10);
});

test('a head that never ends is 408, and an idle connection ends after its time', async () => {
  const host = chooseHost('node', '127.0.0.1', {
    clock: realClock,
    routes: [],
    streamWaitingBytesMax: 1,
    bounds: { headMs: 200, idleMs: 1_000, lookMs: 50 },
  });
  const port = await host.listen('127.0.0.1', 0);
  const began = 'GET /echo HTTP/1.1\r\nHost: a\r\n';
  const cut = await sendRaw(port, [began], 2_000);
  expect([cut.statuses, cut.isClosed]).toEqual([[408], true]);
  expect(cut.text).toContain('the request did not arrive in time');
  const at = performance.now();
  const idle = await sendRaw(port, [`${began}\r\n`], 5_000);
  expect([idle.statuses, idle.isClosed]).toEqual([[404], true]);
  expect(idle.text).toMatch(/^keep-alive: timeout=1$/im);
  expect(performance.now() - at).toBeGreaterThan(1_000);
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
