import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { chooseHost } from '../../../src/transport/http/choose-host.ts';
import type { HttpExchange, HttpStream } from '../../../src/transport/http/host.ts';
import { realClock } from '../../support/real-clock.ts';

const STREAMS = 20;
const LOOKS_MAX = 50;

// node:http keeps the head of a request with its socket, whatever we do.
test('an open stream on uWebSockets.js keeps neither its exchange nor its request', async () => {
  const streams: HttpStream[] = [];
  const kept: WeakRef<object>[] = [];
  const handle = (exchange: HttpExchange): void => {
    const stream = exchange.stream({ status: 200 });
    if (stream !== undefined) streams.push(stream);
    exchange.listenClose({ connectionClosed: () => undefined });
    kept.push(new WeakRef(exchange), new WeakRef(exchange.request));
  };
  const host = chooseHost('uws', '127.0.0.1', {
    clock: realClock,
    routes: [{ methods: ['GET'], path: '/stream', handle }],
    streamWaitingBytesMax: 1_000,
  });
  const port = await host.listen('127.0.0.1', 0);
  const sockets = await Promise.all(Array.from({ length: STREAMS }, () => open(port)));
  try {
    const collect = collector();
    for (let look = 0; look < LOOKS_MAX && alive(kept) > 0; look += 1) {
      await nextTurn();
      collect();
    }
    // A register or the last frame may still name one of them.
    expect(alive(kept)).toBeLessThanOrEqual(2);
    expect(kept).toHaveLength(STREAMS * 2);
    const told = once(sockets[0] as Socket, 'data');
    for (const stream of streams) expect(stream.write('data: 1\n\n')).toBe(true);
    expect(String(await told)).toContain('data: 1');
  } finally {
    for (const socket of sockets) socket.destroy();
    await host.close(0);
  }
});

async function open(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.write('GET /stream HTTP/1.1\r\nhost: localhost\r\n\r\n');
  await once(socket, 'data');
  return socket;
}

function alive(kept: readonly WeakRef<object>[]): number {
  return kept.filter((one) => one.deref() !== undefined).length;
}

function collector(): () => void {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect !== 'function') throw new Error('this V8 cannot be asked to collect');
  return () => {
    collect();
  };
}
