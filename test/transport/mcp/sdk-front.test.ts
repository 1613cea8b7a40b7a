import { expect } from 'vitest';
import { claimer } from './each-engine.ts';
import { allEvents, quiet, readEvents, readMessages, until, Wire } from './wire.ts';

const claim = claimer({ front: 'sdk', limits: { upgradeAfterMs: 200 } });

claim('a quick answer is plain, one that tells something is a stream', async ({ wire }) => {
  const quick = await wire.call('echo', { word: 1 });
  expect(quick.headers.get('content-type')).toBe('application/json');
  const told = await wire.call('steps', { count: 3 }, { meta: { progressToken: 't' } });
  expect(told.headers.get('content-type')).toBe('text/event-stream');
  expect((await readMessages(told)).map(({ params }) => params?.progress)).toEqual([
    1,
    2,
    3,
    undefined,
  ]);
});

claim(
  'an unpaid call is a 402 with its challenge, a paid one has its receipt',
  async ({ wire }) => {
    const unpaid = await wire.call('paid');
    expect(unpaid.status).toBe(402);
    expect(unpaid.headers.get('payment-required')).toMatch(/^[\w+/=]{40,}$/);
    expect(unpaid.headers.get('cache-control')).toBe('no-store');
    const paid = await wire.call('paid', {}, { headers: { 'payment-signature': 'e30=' } });
    expect([paid.status, paid.headers.has('payment-response')]).toEqual([200, true]);
  },
);

claim('a dropped stream is resumed from the event log', async ({ wire }) => {
  const gone = new AbortController();
  const steps = { count: 12, pauseMs: 20 };
  const meta = { progressToken: 't' };
  const first = await wire.call('steps', steps, { meta, signal: gone.signal });
  let last = '';
  let seen = 0;
  for await (const { id, data } of readEvents(first)) {
    last = id ?? last;
    seen += data === '' ? 0 : 1;
    if (seen === 3) break;
  }
  gone.abort();
  await quiet(60);
  const rest = await wire.plain('GET', { 'last-event-id': last });
  expect(rest.status).toBe(200);
  const messages = (await allEvents(rest)).map(({ data }) => JSON.parse(data));
  expect(messages.map(({ params }) => params?.progress)).toEqual([
    ...[4, 5, 6, 7, 8, 9, 10, 11, 12],
    undefined,
  ]);
  const foreign = await wire.plain('GET', { 'last-event-id': `x${last}` });
  expect(foreign.status).toBe(400);
});

claim('a call that is slow to begin opens its stream after a while', async ({ rig, wire }) => {
  const held = await wire.call('hold');
  expect(held.headers.get('content-type')).toBe('text/event-stream');
  rig.service.release();
  expect((await readMessages(held)).at(-1)?.result.content[0].text).toBe('released');
});

claim('a cancelled call is told so', async ({ rig, wire }) => {
  const held = wire.call('hold', {}, { id: 'held' });
  await until(() => rig.service.calls.length === 1);
  const params = { requestId: 'held' };
  await wire.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params });
  await until(() => rig.service.calls[0]?.signal.aborted === true);
  expect(rig.service.calls[0]?.signal.aborted).toBe(true);
  rig.service.release();
  await held;
});

claim('sessions are bounded, selected and ended like those of the lean path', async ({ start }) => {
  const rig = await start({ front: 'sdk', limits: { sessionsMax: 1 } });
  const wire = new Wire(rig);
  expect((await wire.open()).result.serverInfo.name).toBe('stoa-commerce');
  const second = await new Wire(rig).post({
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'n', version: '1' },
    },
  });
  expect([second.status, second.headers.get('retry-after')]).toEqual([503, '60']);
  expect((await wire.plain('DELETE')).status).toBe(200);
  expect((await wire.plain('DELETE')).status).toBe(404);
  expect((await new Wire(rig).open()).result).toBeDefined();
});

claim('a handshake that the SDK refuses leaves no session behind', async ({ start }) => {
  const rig = await start({ front: 'sdk', limits: { sessionsMax: 1 } });
  const wire = new Wire(rig);
  const refused = await wire.post(
    {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: {
        protocolVersion: '2025-11-25',
        capabilities: {},
        clientInfo: { name: 'n', version: '1' },
      },
    },
    { headers: { accept: 'application/json' } },
  );
  expect(refused.status).toBe(406);
  expect((await wire.open()).result).toBeDefined();
});

claim('rates hold there too', async ({ start }) => {
  const limits = { limitsLocalCallers: true, requestRate: { perMinute: 60, burst: 2 } };
  const wire = new Wire(await start({ front: 'sdk', limits }));
  await wire.open();
  const statuses: number[] = [];
  for (let at = 0; at < 4; at += 1) {
    statuses.push((await wire.post({ jsonrpc: '2.0', id: at, method: 'ping' })).status);
  }
  expect(statuses[0]).toBe(200);
  expect(statuses.at(-1)).toBe(429);
});
