import { connect, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { chooseHost } from '../../../src/transport/http/choose-host.ts';
import { CONNECTION_BOUNDS } from '../../../src/transport/http/host.ts';
import { LateBodies } from '../../../src/transport/http/late-bodies.ts';
import { realClock } from '../../support/real-clock.ts';

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

test('node:http closes connections above their bound, and takes new ones when some have gone', async () => {
  const host = chooseHost('node', '127.0.0.1', {
    clock: realClock,
    routes: [],
    streamWaitingBytesMax: 1,
    bounds: { connectionsMax: 3 },
  });
  const port = await host.listen('127.0.0.1', 0);
  const first = await Promise.all([1, 2, 3].map(() => opened(port)));
  const more = await Promise.all([1, 2].map(() => opened(port)));
  expect(first.map(({ isClosed }) => isClosed)).toEqual([false, false, false]);
  expect(more.map(({ isClosed }) => isClosed)).toEqual([true, true]);
  for (const { socket } of first) socket.destroy();
  await new Promise((done) => setTimeout(done, 50));
  const later = await opened(port);
  expect(later.isClosed).toBe(false);
  later.socket.destroy();
  await host.close(10);
});

test('a body in pieces has its time, and one that came whole is left alone', async () => {
  const ended: string[] = [];
  const late = new LateBodies(realClock, { ...CONNECTION_BOUNDS, requestMs: 60, lookMs: 20 });
  const body = (name: string) => ({ tooLate: () => ended.push(name) });
  const [slow, whole] = [body('slow'), body('whole')];
  const end = {
    tooLate: () => {
      slow.tooLate();
      late.forget(end);
    },
  };
  late.watch(end);
  late.watch(whole);
  late.forget(whole);
  await new Promise((done) => setTimeout(done, 200));
  expect(ended).toEqual(['slow']);
  late.stop();
});
