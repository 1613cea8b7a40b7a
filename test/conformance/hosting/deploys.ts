import { expect } from 'vitest';
import type { EventType } from '../../../src/domain/hosting/event-types.ts';
import type { Claims } from './suite.ts';
import { ended, type HostingWorld, readAll, refused, servedService, UNDER_WAY } from './world.ts';

/** Types of events in the order in which they happened. */
async function story({ provider }: HostingWorld, serviceId: string): Promise<EventType[]> {
  const events = await readAll(7, (page) => provider.events.list({ serviceId, ...page }));
  return events.map(({ type }) => type).reverse();
}

/** Claims about deploys and the events of a service. */
export const deployClaims: Claims = {
  'a first deploy goes live, with its commit, its times and its events in order': async (world) => {
    const { service, deploy } = await servedService(world);
    expect(deploy).toMatchObject({
      status: 'live',
      trigger: 'first_build',
      serviceId: service.id,
    });
    expect(deploy.reason).toBeUndefined();
    expect(deploy.commit?.id).toMatch(/^[0-9a-f]{40}$/);
    const times = [deploy.createdAt, deploy.startedAt ?? '', deploy.finishedAt ?? ''];
    expect([...times].sort()).toEqual(times);
    const types = await story(world, service.id);
    const order = ['build_started', 'build_ended', 'deploy_ended'] as const;
    const places = order.map((type) => types.indexOf(type));
    expect(places).not.toContain(-1);
    expect([...places].sort((a, b) => a - b)).toEqual(places);
    expect(types.indexOf('deploy_started')).toBeGreaterThanOrEqual(0);
    expect(types.indexOf('deploy_started')).toBeLessThan(types.indexOf('deploy_ended'));
  },

  'a deploy only moves on, and has an end': async (world) => {
    const { provider } = world;
    const { service } = await servedService(world);
    const { id } = await provider.deploys.trigger(service.id, { clearCache: true });
    const seen: string[] = [];
    await world.until(async () => {
      const { status } = await provider.deploys.get(service.id, id);
      if (seen.at(-1) !== status) seen.push(status);
      return !UNDER_WAY.includes(status);
    }, 'the end of the deploy');
    expect(seen.at(-1)).toBe('live');
    const ranks = [...UNDER_WAY, 'live'];
    const places = seen.map((status) => ranks.indexOf(status));
    expect(places).not.toContain(-1);
    expect([...places].sort((a, b) => a - b)).toEqual(places);
  },

  'the next live deploy takes the place of the one before': async (world) => {
    const { provider } = world;
    const { service, deploy: first } = await servedService(world);
    const { id, trigger } = await provider.deploys.trigger(service.id, { clearCache: false });
    expect(trigger).toBe('api');
    expect((await ended(world, service.id, id)).status).toBe('live');
    await world.until(
      async () => (await provider.deploys.get(service.id, first.id)).status === 'deactivated',
      'the end of the first version',
    );
  },

  'two deploys at once both come to an end, and one is live': async (world) => {
    const { provider } = world;
    const { service } = await servedService(world);
    const ids = [
      (await provider.deploys.trigger(service.id, { clearCache: false })).id,
      (await provider.deploys.trigger(service.id, { clearCache: false })).id,
    ];
    for (const id of ids) await ended(world, service.id, id);
    const all = () =>
      readAll(2, (page) => provider.deploys.list({ serviceId: service.id, ...page }));
    const deploys = await all();
    expect(deploys.map(({ id }) => id)).toEqual([ids[1], ids[0], deploys[2]?.id]);
    // The one before is told that it is not live any more a moment after the new one is.
    const live = async () => (await all()).flatMap((one) => (one.status === 'live' ? one.id : []));
    await expect.poll(live).toEqual([ids[1]]);
  },

  'a failed build says why in the deploy and in the events, not in the logs': async (world) => {
    const { provider } = world;
    const { service, deploy: first } = await servedService(world);
    await world.breakNext(service.id, 'build');
    const { id } = await provider.deploys.trigger(service.id, { clearCache: false });
    const failed = await ended(world, service.id, id);
    expect(failed.status).toBe('build_failed');
    expect(Object.keys(failed.reason ?? {})).not.toHaveLength(0);
    expect(await provider.deploys.get(service.id, first.id)).toMatchObject({ status: 'live' });
    const types = ['build_ended'] as const;
    const [last] = (await provider.events.list({ serviceId: service.id, types, limit: 1 })).items;
    expect(last?.item.details).toMatchObject({ buildStatus: 'failed' });
    expect(JSON.stringify(last?.item.details)).toContain(Object.keys(failed.reason ?? {})[0]);
  },

  'a version that does not start leaves the one before in service': async (world) => {
    const { provider } = world;
    const { service, deploy: first } = await servedService(world);
    await world.breakNext(service.id, 'update');
    const { id } = await provider.deploys.trigger(service.id, { clearCache: false });
    const failed = await ended(world, service.id, id);
    expect(failed.status).toBe('update_failed');
    expect(Object.keys(failed.reason ?? {})).not.toHaveLength(0);
    expect(await provider.deploys.get(service.id, first.id)).toMatchObject({ status: 'live' });
    const types = ['deploy_ended'] as const;
    const [last] = (await provider.events.list({ serviceId: service.id, types, limit: 1 })).items;
    expect(last?.item.details).toMatchObject({ deployId: id, deployStatus: 'failed' });
  },

  'a deploy under way can be cancelled, an ended one cannot': async (world) => {
    const { provider } = world;
    const { service, deploy: first } = await servedService(world);
    const { id } = await provider.deploys.trigger(service.id, { clearCache: false });
    await provider.deploys.cancel(service.id, id);
    const cancelled = await ended(world, service.id, id);
    expect(cancelled.status).toBe('canceled');
    await refused(provider.deploys.cancel(service.id, id), 'INPUT_INVALID');
    await refused(provider.deploys.cancel(service.id, first.id), 'INPUT_INVALID');
    const next = await provider.deploys.trigger(service.id, { clearCache: false });
    expect((await ended(world, service.id, next.id)).status).toBe('live');
  },

  'a rollback brings an earlier version live; other deploys are refused': async (world) => {
    const { provider } = world;
    const { service, deploy: first } = await servedService(world);
    await world.breakNext(service.id, 'build');
    const broken = await provider.deploys.trigger(service.id, { clearCache: false });
    await ended(world, service.id, broken.id);
    await refused(provider.deploys.rollback(service.id, broken.id), 'INPUT_INVALID');
    await refused(provider.deploys.rollback(service.id, first.id), 'INPUT_INVALID');
    const second = await provider.deploys.trigger(service.id, { clearCache: false });
    await ended(world, service.id, second.id);
    const back = await provider.deploys.rollback(service.id, first.id);
    expect(back.trigger).toBe('rollback');
    expect((await ended(world, service.id, back.id)).status).toBe('live');
  },

  'a deploy belongs to its service': async (world) => {
    const { provider } = world;
    const { deploy } = await servedService(world);
    const other = await servedService(world, { name: 'other' });
    await refused(provider.deploys.get(other.service.id, deploy.id), 'RESOURCE_UNKNOWN');
    await refused(provider.deploys.cancel(other.service.id, deploy.id), 'RESOURCE_UNKNOWN');
    await refused(provider.deploys.rollback(other.service.id, deploy.id), 'RESOURCE_UNKNOWN');
  },

  'events are of one service, unique, the newest first, and whole over pages': async (world) => {
    const { provider } = world;
    const { service } = await servedService(world);
    await servedService(world, { name: 'other' });
    await provider.services.update(service.id, { autoDeploy: 'yes' });
    const serviceId = service.id;
    const whole = await readAll(100, (page) => provider.events.list({ serviceId, ...page }));
    for (const limit of [1, 2, 3]) {
      const paged = await readAll(limit, (page) => provider.events.list({ serviceId, ...page }));
      expect(paged).toEqual(whole);
    }
    expect(whole.every((event) => event.serviceId === serviceId)).toBe(true);
    expect(new Set(whole.map(({ id }) => id)).size).toBe(whole.length);
    for (const { id } of whole) expect(id).toMatch(/^evt-[0-9a-v]{20}$/);
    const times = whole.map(({ timestamp }) => Date.parse(timestamp));
    expect([...times].sort((a, b) => b - a)).toEqual(times);
  },

  'an event that comes between two pages does not move the second': async (world) => {
    const { provider } = world;
    const { service } = await servedService(world);
    const serviceId = service.id;
    const whole = await readAll(100, (page) => provider.events.list({ serviceId, ...page }));
    const first = await provider.events.list({ serviceId, limit: 2 });
    await provider.services.update(serviceId, { autoDeploy: 'yes' });
    const cursor = first.items[1]?.cursor ?? '';
    const second = await provider.events.list({ serviceId, limit: 100, cursor });
    const ids = [...first.items, ...second.items].map(({ item }) => item.id);
    expect(ids).toEqual(whole.map(({ id }) => id));
  },

  'events are narrowed by type and by time, both ends included': async (world) => {
    const { provider } = world;
    const { service } = await servedService(world);
    const serviceId = service.id;
    const types = ['build_started', 'deploy_ended'] as const;
    const some = await provider.events.list({ serviceId, types, limit: 100 });
    expect(some.items.map(({ item }) => item.type).sort()).toEqual([...types].sort());
    const at = Date.parse(some.items[0]?.item.timestamp ?? '');
    const exact = await provider.events.list({ serviceId, start: at, end: at, limit: 100 });
    expect(exact.items.map(({ item }) => item.id)).toContain(some.items[0]?.item.id);
    const later = await provider.events.list({ serviceId, start: at + 3_600_000, limit: 100 });
    expect(later).toEqual({ items: [], hasMore: false });
    await refused(provider.events.list({ serviceId, limit: 5, cursor: '?' }), 'INPUT_INVALID');
    for (const limit of [0, 101]) {
      await refused(provider.events.list({ serviceId, limit }), 'INPUT_INVALID');
    }
  },
};
