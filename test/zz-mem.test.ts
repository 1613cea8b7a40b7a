import { test } from 'vitest';
import { INIT, post, MIB } from './support/attacked.ts';
import { deafSocket, pause, startFrontProcess } from './support/front-process.ts';
import { greeting } from './support/wire-session.ts';
test('x', async () => {
  const front = await startFrontProcess('node');
  console.log(JSON.stringify(await front.holding()));
  const r = await fetch(front.url, { method: 'POST', headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }, body: INIT });
  await r.text();
  const session = r.headers.get('mcp-session-id') ?? '';
  const many = post(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }), session).repeat(200);
  const sockets = [1,2,3,4,5].map(() => deafSocket(front.port, many));
  let max = 0;
  for (let round = 0; round < 20; round += 1) {
    for (const s of sockets) if (s.writable && s.writableLength < MIB) s.write(many);
    const h = await front.holding(); max = Math.max(max, h.rssBytes); if (round % 5 === 0) console.log(round, JSON.stringify(h), sockets[0]?.bytesWritten);
    await pause(50);
  }
  console.log('max', max / MIB, JSON.stringify(await front.holding()));
  for (const s of sockets) s.destroy();
  for (let i = 0; i < 6; i++) { await pause(2000); console.log(JSON.stringify(await front.holding())); }
  await front.stop();
}, 60_000);
