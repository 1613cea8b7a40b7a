import { expect, test } from 'vitest';
import type { FailureReason } from '../../../src/domain/hosting/records.ts';
import { calledHosting, liveShop } from '../../support/called-hosting.ts';
import { proves } from '../../support/proves.ts';

const DAY = 86_400_000;

test('deploys are triggered, listed and read', async () => {
  proves('H1.i2', 'H2.t3', 'H4.deployments.t1', 'H4.deployments.t2.c1', 'H4.deployments.t2.c2');
  proves('H4.deployments.t3.c1', 'H4.deployments.t3.c2', 'H4.deployments.t3.c3');
  const hosting = calledHosting();
  const serviceId = await liveShop(hosting, { autoDeploy: 'no' });
  const begun = await hosting.call('trigger_deploy', { serviceId });
  const { id: deployId } = begun.value.deploy;
  expect(begun.line).toBe(`Deploy ${deployId} starts soon. Follow it with get_deploy.`);
  expect(begun.value.deploy).toMatchObject({ serviceId, trigger: 'api' });
  await hosting.clock.advance(60_000);
  const read = await hosting.call('get_deploy', { serviceId, deployId });
  expect(read.line).toBe(`${deployId} of shop is live.`);
  const cleared = await hosting.call('trigger_deploy', { serviceId, clearCache: true });
  expect(cleared.isError).toBe(false);
  const listed = await hosting.call('list_deploys', { serviceId, limit: 2 });
  expect(listed.value.deploys.map(({ id }: { id: string }) => id)).toEqual([
    cleared.value.deploy.id,
    deployId,
  ]);
  expect(listed.value.hasMore).toBe(true);
});

test('an order says which deploy it takes the place of, and that one says by which', async () => {
  const hosting = calledHosting();
  const serviceId = await liveShop(hosting, { autoDeploy: 'no' });
  const slow = (await hosting.call('trigger_deploy', { serviceId })).value.deploy.id;
  await hosting.clock.advance(1_500);
  const stuck = await hosting.call('get_deploy', { serviceId, deployId: slow });
  expect(stuck.value.deploy.status).toBe('build_in_progress');
  const args = { serviceId, envVars: [{ key: 'A', value: '1' }] };
  const next = await hosting.call('update_environment_variables', args);
  const { deployId } = next.value;
  const ended = await hosting.call('get_deploy', { serviceId, deployId: slow });
  expect(ended.value.deploy).toMatchObject({
    status: 'canceled',
    reason: { evicted: `${deployId} took its place` },
  });
  expect(next.line).toContain(`Deploy ${deployId}`);
  await hosting.clock.advance(60_000);
  const last = await hosting.call('get_deploy', { serviceId, deployId });
  expect(last.value.deploy.status).toBe('live');
});

test('a deploy of another service is unknown', async () => {
  const hosting = calledHosting();
  const serviceId = await liveShop(hosting);
  const other = await liveShop(hosting, { name: 'other' });
  const [deploy] = (await hosting.call('list_deploys', { serviceId: other })).value.deploys;
  const { value, text } = await hosting.call('get_deploy', { serviceId, deployId: deploy.id });
  expect(value.error).toBe('RESOURCE_UNKNOWN');
  expect(text).toContain(`deployId: received "${deploy.id}", allowed: a deploy of ${serviceId}`);
});

test.each<[string, FailureReason]>([
  ['out of memory', { oomKilled: { memoryLimitMib: 512 } }],
  ['an exit code', { nonZeroExit: 3 }],
  ['a health check', { unhealthy: 'answered 503' }],
  ['an eviction', { evicted: 'its disk: 9 of 8 GiB' }],
])(
  '%s as why a deploy failed stands in the deploy and the events, not in the logs',
  async (_, reason) => {
    proves('H6.s4.c1', 'H6.s4.c2');
    const hosting = calledHosting();
    const serviceId = await liveShop(hosting);
    hosting.provider.failNext(serviceId, 'update', reason);
    const { value } = await hosting.call('trigger_deploy', { serviceId });
    await hosting.clock.advance(60_000);
    const read = await hosting.call('get_deploy', { serviceId, deployId: value.deploy.id });
    expect(read.value.deploy).toMatchObject({ status: 'update_failed', reason });
    const eventTypes = ['server_failed'];
    const events = await hosting.call('list_events', { serviceId, eventTypes });
    expect(events.value.events[0].details.reason.failure).toEqual(reason);
    const logs = await hosting.call('list_logs', { resource: [serviceId], limit: 100 });
    expect(logs.value.logs.length).toBeGreaterThan(0);
    const [kind = '', facts] = Object.entries(reason)[0] ?? [];
    expect(JSON.stringify(logs.value)).not.toContain(kind);
    if (typeof facts === 'string') expect(JSON.stringify(logs.value)).not.toContain(facts);
  },
);

test('events are read, narrowed by type, 20 of them where no limit is named', async () => {
  proves('H1.i3', 'H2.t4', 'H4.events.t1.c1', 'H4.events.t1.c5', 'H6.s1', 'H6.s2', 'H8.t1');
  const hosting = calledHosting();
  const serviceId = await liveShop(hosting);
  for (let at = 0; at < 150; at += 1) {
    hosting.provider.tell(serviceId, 'server_restarted', { at });
    await hosting.clock.advance(1_000);
  }
  const plain = await hosting.call('list_events', { serviceId });
  expect(plain.value.events).toHaveLength(20);
  expect(plain.value.events[0]).toMatchObject({ type: 'server_restarted', details: { at: 149 } });
  for (const limit of [1, 100]) {
    const some = await hosting.call('list_events', { serviceId, limit });
    expect(some.value.events).toHaveLength(limit);
  }
  const eventTypes = ['deploy_ended', 'build_ended'];
  const narrowed = await hosting.call('list_events', { serviceId, eventTypes });
  expect(narrowed.value.events.map(({ type }: { type: string }) => type)).toEqual(eventTypes);
  const all = await hosting.call('list_events', { serviceId, eventTypes: [] });
  expect(all.value.events).toHaveLength(20);
});

test('the first page reaches seven days back, its cursor to all that is older', async () => {
  proves('H4.events.t1.c3', 'H4.events.t1.c4', 'H4.events.t1.c6', 'H4.events.s1', 'H4.events.s2');
  proves('H4.events.s3', 'H8.t2');
  const hosting = calledHosting();
  const serviceId = await liveShop(hosting);
  hosting.provider.tell(serviceId, 'server_failed');
  await hosting.clock.advance(8 * DAY);
  const empty = await hosting.call('list_events', { serviceId });
  expect(empty.value).toEqual({ events: [], hasMore: false });
  expect(empty.text).toContain('Set an earlier startTime');
  hosting.provider.tell(serviceId, 'server_restarted');
  const first = await hosting.call('list_events', { serviceId, cursor: '' });
  expect(first.value.events).toHaveLength(1);
  const older = await hosting.call('list_events', { serviceId, cursor: first.value.cursor });
  expect(older.value.events[0].type).toBe('server_failed');
  const startTime = new Date(hosting.clock.now() - 9 * DAY).toISOString();
  const named = await hosting.call('list_events', { serviceId, startTime });
  expect(named.value.events.length).toBe(older.value.events.length + 1);
  const endTime = new Date(hosting.clock.now() - 5 * DAY).toISOString();
  const until = await hosting.call('list_events', { serviceId, startTime, endTime });
  expect(until.value.events).toEqual(older.value.events);
});

test('databases have no events', async () => {
  proves('H6.s5');
  const hosting = calledHosting();
  const { value } = await hosting.call('create_postgres', { name: 'p', plan: 'free' });
  const answer = await hosting.call('list_events', { serviceId: value.postgres.id });
  expect(answer.value.error).toBe('RESOURCE_UNKNOWN');
  expect(answer.text).toContain('this is a postgres');
});
