import { expect } from 'vitest';
import { HOSTING_PATH, hostedClaim, jsonOf, liveService } from '../../support/hosted-console.ts';
import { streamOf } from './log-events.ts';

hostedClaim('log lines come in pages, by filters, and on from a time', async (rig) => {
  const id = await liveService(rig);
  const { provider, clock } = rig.world;
  for (let at = 0; at < 150; at += 1) {
    const level = at % 50 === 0 ? 'error' : 'info';
    provider.log({ resource: id, type: 'app', level }, `line ${at}`);
    await clock.advance(1_000);
  }
  const logs = `${HOSTING_PATH}/logs?resource=${id}`;
  const newest = await jsonOf(rig.read(logs));
  expect(newest.logs).toHaveLength(100);
  expect(newest.logs[0].message).toBe('line 149');
  const before = encodeURIComponent(newest.nextEndTime);
  const older = await jsonOf(rig.read(`${logs}&before=${before}&type=app`));
  expect(older.logs[0].message).toBe('line 49');
  const errors = await jsonOf(rig.read(`${logs}&level=error,critical`));
  expect(errors.logs.map(({ message }: { message: string }) => message)).toEqual([
    ...['line 100', 'line 50', 'line 0'],
  ]);
  const since = encodeURIComponent(newest.logs[2].timestamp);
  const later = await jsonOf(rig.read(`${logs}&since=${since}`));
  expect(later.logs.map(({ message }: { message: string }) => message)).toEqual([
    ...['line 147', 'line 148', 'line 149'],
  ]);
  expect((await jsonOf(rig.read(`${logs}&text=ine*49`))).logs).toHaveLength(2);
  for (const query of ['', 'resource=', `resource=${id}&text=/(/`, `resource=${id}&before=noon`]) {
    expect((await rig.read(`${HOSTING_PATH}/logs?${query}`)).status, query).toBe(422);
  }
  expect((await rig.read(`${HOSTING_PATH}/logs?resource=srv-none`)).status).toBe(404);
});

hostedClaim('lines are followed as they come, those that fit the filters alone', async (rig) => {
  const id = await liveService(rig);
  const { provider } = rig.world;
  const stop = new AbortController();
  const tail = await fetch(`${rig.baseUrl}${HOSTING_PATH}/logs/tail?resource=${id}&level=error`, {
    headers: { cookie: await rig.enter() },
    signal: stop.signal,
  });
  expect(tail.headers.get('content-type')).toBe('text/event-stream');
  const lines = streamOf(tail);
  await lines.begun;
  provider.log({ resource: id, type: 'app', level: 'info' }, 'too mild');
  provider.log({ resource: id, type: 'app', level: 'error' }, 'one\nof two lines');
  await expect.poll(() => lines.messages()).toEqual(['one\nof two lines']);
  stop.abort();
});

hostedClaim(
  'feeds are bounded, end with the server, and need a resource that there is',
  async (rig) => {
    const id = await liveService(rig);
    const headers = { cookie: await rig.enter() };
    const open = (resource: string) =>
      fetch(`${rig.baseUrl}${HOSTING_PATH}/logs/tail?resource=${resource}`, { headers });
    expect((await open('srv-none')).status).toBe(404);
    const feeds = await Promise.all(Array.from({ length: 32 }, () => open(id)));
    const refused = await open(id);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    await feeds[0]?.body?.cancel();
    await expect
      .poll(async () => {
        const { status, body } = await open(id);
        await body?.cancel();
        return status;
      })
      .toBe(200);
    const ended = Promise.all(feeds.slice(1).map((feed) => feed.text()));
    await rig.front.close();
    expect(await ended).toHaveLength(31);
  },
);
