import { expect } from 'vitest';
import { attack, HEAD, INIT, LISTEN, MIB, post } from '../support/attacked.ts';
import { pause } from '../support/front-process.ts';
import { askWire, greeting, openWire } from '../support/wire-session.ts';

attack('a thousand silent connections and half heads are borne', async (world) => {
  const texts = ['', 'POST /v1/mcp HTTP/1.1\r\nHost', post(INIT).slice(0, -20)];
  const sockets = world.deaf(Array.from({ length: 1_000 }, (_, at) => texts[at % 3] ?? ''));
  await pause(500);
  const late = await openWire(world.front.url);
  expect((await late.ask('tools/list')).status).toBe(200);
  for (const socket of sockets) socket.destroy();
  expect(await world.hasOpen((open) => open === 0 || open === 1)).toBe(true);
});

attack(
  'sessions have a bound, and there is room again after a storm of deletes',
  async (world) => {
    const ids = await world.sessions(1_200);
    expect(ids.filter((id) => id === '503')).toHaveLength(200);
    const begun = ids.filter((id) => id !== '503');
    const streams = world.deaf(begun.slice(0, 500).map(LISTEN));
    expect(await world.hasOpen((open) => open >= 500)).toBe(true);
    expect(new Set(await world.end(begun))).toEqual(new Set([200]));
    const hello = await askWire(world.front.url, 'initialize', greeting('2025-11-25'));
    expect(hello.status).toBe(200);
    expect((await world.front.holding()).sessions).toBe(2);
    expect(await world.hasOpen((open) => open <= 1)).toBe(true);
    for (const socket of streams) socket.destroy();
  },
  { limits: { sessionsMax: 1_001 } },
);

attack('streams whose client has said that it is done are let go of', async (world) => {
  const sockets = world.deaf((await world.sessions(200)).map(LISTEN));
  expect(await world.hasOpen((open) => open >= 200)).toBe(true);
  for (const socket of sockets) socket.end();
  expect(await world.hasOpen((open) => open <= 1)).toBe(true);
  for (const socket of sockets) socket.destroy();
});

attack('bombs of headers and bodies are refused and not held', async (world) => {
  const bombs = [
    `POST /v1/mcp HTTP/1.1\r\n${HEAD}\r\n${'X-A: 1\r\n'.repeat(5_000)}`,
    `POST /v1/mcp HTTP/1.1\r\n${HEAD}\r\nX-A: ${'a'.repeat(MIB)}`,
    `GET /${'a'.repeat(MIB)} HTTP/1.1\r\n`,
    `POST /v1/mcp HTTP/1.1\r\n${HEAD}\r\nContent-Length: ${64 * MIB}\r\n\r\n${'a'.repeat(MIB)}`,
    `POST /v1/mcp HTTP/1.1\r\n${HEAD}\r\nTransfer-Encoding: chunked\r\n\r\n` +
      `100000\r\n${'a'.repeat(MIB)}\r\n`.repeat(6),
  ];
  for (let round = 0; round < 10; round += 1) {
    const sockets = world.deaf([...bombs, ...bombs]);
    await pause(100);
    for (const socket of sockets) socket.destroy();
  }
});
