import { connect, type Socket } from 'node:net';
import { expect } from 'vitest';
import { attack, HEAD, MIB, post } from '../support/attacked.ts';
import { pause } from '../support/front-process.ts';

attack('nothing piles up for a client that asks and never reads', async (world) => {
  const [session = ''] = await world.sessions(1);
  const list = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
  const many = post(list, session).repeat(200);
  const sockets = world.deaf([many, many, many, many, many]);
  let most = 0;
  for (let round = 0; round < 20; round += 1) {
    for (const socket of sockets) {
      if (socket.writable && socket.writableLength < MIB) socket.write(many);
    }
    most = Math.max(most, (await world.front.holding()).rssBytes);
    await pause(50);
  }
  expect(most).toBeLessThan(world.start.rssBytes + 64 * MIB);
  for (const socket of sockets) socket.destroy();
});

attack('readers that do not read their streams are dropped', async (world) => {
  const steps = 60_000;
  const ids = await world.sessions(10);
  const params = { name: 'tool0', arguments: { steps }, _meta: { progressToken: 'p' } };
  const call = JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tools/call', params });
  const sockets = world.deaf(ids.map((id) => post(call, id)));
  const received = sockets.map(
    (socket) =>
      new Promise<number>((done) => {
        let bytes = 0;
        socket.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
        });
        socket.once('close', () => done(bytes));
        socket.once('end', () => socket.destroy());
        socket.pause();
      }),
  );
  await pause(2_000);
  expect(await world.hasOpen((open) => open <= 1)).toBe(true);
  for (const socket of sockets) socket.resume();
  for (const bytes of await Promise.all(received)) {
    expect(bytes).toBeGreaterThan(MIB / 16);
    expect(bytes).toBeLessThan(steps * 200);
  }
  await world.end(ids);
});

/** Says one byte after another, and tells after how many milliseconds the other side has ended. */
function drip(port: number, head: string, rest: string): Promise<number> {
  const begun = Date.now();
  return new Promise((done) => {
    // It keeps its side open when the server has ended: it must be closed all the same.
    const socket: Socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    let said = 0;
    const more = setInterval(() => {
      if (socket.writable) socket.write(rest[said % rest.length] ?? '');
      said += 1;
    }, 400);
    socket.on('error', () => undefined);
    socket.on('data', () => undefined);
    socket.on('close', () => {
      clearInterval(more);
      done(Date.now() - begun);
    });
    socket.write(head);
  });
}

attack(
  'heads and bodies that drip are ended, and so is who says nothing',
  async (world) => {
    const { front } = world;
    const body = `POST /v1/mcp HTTP/1.1\r\n${HEAD}\r\nContent-Length: 100000\r\n\r\n{`;
    const chunks = `POST /v1/mcp HTTP/1.1\r\n${HEAD}\r\nTransfer-Encoding: chunked\r\n\r\n`;
    const silent = new Promise<number>((done) => {
      const begun = Date.now();
      const socket = connect(front.port, '127.0.0.1');
      socket.on('data', () => undefined);
      socket.on('end', () => socket.destroy());
      socket.on('close', () => done(Date.now() - begun));
    });
    const ended = await Promise.all([
      drip(front.port, `POST /v1/mcp HTTP/1.1\r\n${HEAD}\r\n`, 'X-A: 1\r\n'),
      drip(front.port, 'P', 'OST'),
      drip(front.port, body, ' '),
      drip(front.port, chunks, '1\r\nx\r\n'),
      silent,
    ]);
    for (const afterMs of ended) expect(afterMs).toBeLessThan(40_000);
    expect(await world.hasOpen((open) => open <= 1)).toBe(true);
  },
  { connections: { headMs: 2_000, requestMs: 3_000, lookMs: 500 } },
);
