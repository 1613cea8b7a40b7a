import { expect } from 'vitest';
import type { MetricQuery } from '../../../src/domain/hosting/hosting.ts';
import type { Claims } from './suite.ts';
import { readAll, refused, SECRET, servedService, webOrder } from './world.ts';

/** Claims about workspaces and about services as records. */
export const serviceClaims: Claims = {
  'workspaces are listed and read': async ({ provider, workspaces }) => {
    const listed = await readAll(1, (page) => provider.workspaces.list(page));
    const ids = listed.map(({ id }) => id);
    expect(ids).toEqual(expect.arrayContaining([...workspaces]));
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of workspaces) {
      expect(id).toMatch(/^tea-[0-9a-v]{20}$/);
      expect(await provider.workspaces.get(id)).toEqual(listed.find((one) => one.id === id));
    }
    await refused(provider.workspaces.get('tea-00000000000000000000'), 'RESOURCE_UNKNOWN');
  },

  'what it can do is told for every runtime, with a reason where it cannot': async (world) => {
    const { runtimes, postgres, keyValue, regions } = await world.provider.listFeatures();
    expect(Object.keys(runtimes).sort()).toEqual(
      ['docker', 'elixir', 'go', 'node', 'python', 'ruby', 'rust'].sort(),
    );
    for (const ability of [...Object.values(runtimes), ...Object.values(postgres), keyValue]) {
      expect(ability.able ? ability.version : ability.why).not.toBe('');
    }
    expect(regions.length).toBeGreaterThan(10);
  },

  'a web service is its order, with an id, a slug, an address and its pages': async (world) => {
    const { provider, workspaces } = world;
    const { service, deployId } = await provider.services.create(webOrder(world));
    expect(service).toMatchObject({
      name: 'shop',
      slug: 'shop',
      type: 'web_service',
      ownerId: workspaces[0],
      repo: world.repo,
      branch: 'main',
      autoDeploy: 'no',
      suspended: 'not_suspended',
      suspenders: [],
      serviceDetails: {
        runtime: 'node',
        buildCommand: 'true',
        startCommand: world.start,
        plan: 'starter',
        region: 'oregon',
        numInstances: 1,
        healthCheckPath: '',
      },
    });
    expect(service.id).toMatch(/^srv-[0-9a-v]{20}$/);
    expect(deployId).toMatch(/^dep-[0-9a-v]{20}$/);
    expect(Date.parse(service.createdAt)).toBeLessThanOrEqual(world.now());
    if (service.type !== 'web_service') throw new Error('no web service');
    expect(service.serviceDetails.url).toContain('shop');
    expect(URL.canParse(service.dashboardUrl)).toBe(true);
    expect(provider.services.settingsUrl(service.id)).toContain(service.id);
    expect(await provider.services.get(service.id)).toMatchObject({
      id: service.id,
      slug: 'shop',
    });
  },

  'a static site and a cron job have the ids and members of their kinds': async (world) => {
    const { provider, workspaces, repo } = world;
    const shared = { ownerId: workspaces[0], repo, autoDeploy: 'no', envVars: [] } as const;
    const site = await provider.services.create({
      ...shared,
      type: 'static_site',
      name: 'site',
      buildCommand: 'true',
      publishPath: '.',
    });
    expect(site.service.id).toMatch(/^srv-/);
    expect(site.service.serviceDetails).toMatchObject({ buildCommand: 'true', publishPath: '.' });
    const cron = await provider.services.create({
      ...shared,
      type: 'cron_job',
      name: 'nightly',
      schedule: '0 3 * * *',
      plan: 'starter',
      region: 'oregon',
      run: { runtime: 'node', buildCommand: 'true', startCommand: 'true' },
    });
    expect(cron.service.id).toMatch(/^crn-[0-9a-v]{20}$/);
    if (cron.service.type !== 'cron_job') throw new Error('no cron job');
    const { schedule, nextRunAt = '' } = cron.service.serviceDetails;
    expect(schedule).toBe('0 3 * * *');
    expect(nextRunAt).toMatch(/T03:00:00/);
    expect(Date.parse(nextRunAt)).toBeGreaterThan(world.now());
  },

  'a service without a repository gets an address to push to, and no deploy': async (world) => {
    const { repo: _repo, ...order } = webOrder(world);
    const { service, deployId } = await world.provider.services.create(order);
    expect(deployId).toBeUndefined();
    expect(service.repo).toBe('');
    expect(URL.canParse(service.pushUrl ?? '')).toBe(true);
    const page = await world.provider.deploys.list({ serviceId: service.id, limit: 10 });
    expect(page).toEqual({ items: [], hasMore: false });
  },

  'a name is taken within its workspace; in another the slug gets a suffix': async (world) => {
    const { provider, workspaces } = world;
    await provider.services.create(webOrder(world));
    const error = await refused(provider.services.create(webOrder(world)), 'NAME_TAKEN');
    expect(error.message).toContain('shop');
    const other = await provider.services.create(webOrder(world, { ownerId: workspaces[1] }));
    expect(other.service.name).toBe('shop');
    expect(other.service.slug).toMatch(/^shop-[0-9a-z]{4}$/);
  },

  'any name gives a slug of letters, digits and hyphens': async (world) => {
    const names = ['Ünï côde', '..--..', 'UPPER_case 9', 'x'.repeat(100), '日本'];
    for (const name of names) {
      const { service } = await world.provider.services.create(webOrder(world, { name }));
      expect(service.name).toBe(name);
      expect(service.slug).toMatch(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/);
    }
  },

  'lists hold what a workspace owns, each once, over pages of any size': async (world) => {
    const { provider, workspaces } = world;
    const made: string[] = [];
    for (let at = 0; at < 7; at += 1) {
      const { repo: _repo, ...order } = webOrder(world, { name: `s${at}` });
      made.push((await provider.services.create(order)).service.id);
    }
    await provider.services.create(webOrder(world, { ownerId: workspaces[1] }));
    for (const limit of [1, 2, 3, 7, 100]) {
      const list = (page: { limit: number; cursor?: string }) =>
        provider.services.list({ ownerId: workspaces[0], ...page });
      const ids = (await readAll(limit, list)).map(({ id }) => id);
      expect([...ids].sort()).toEqual([...made].sort());
    }
    await refused(provider.services.list({ ownerId: 'tea-none', limit: 5 }), 'RESOURCE_UNKNOWN');
  },

  'what comes or goes between two pages neither repeats nor hides others': async (world) => {
    const { provider, workspaces } = world;
    const ownerId = workspaces[0];
    const make = async (name: string): Promise<string> => {
      const { repo: _repo, ...order } = webOrder(world, { name });
      return (await provider.services.create(order)).service.id;
    };
    const kept = [await make('a'), await make('b'), await make('c'), await make('d')];
    const first = await provider.services.list({ ownerId, limit: 2 });
    const seen = first.items.map(({ item }) => item.id);
    await provider.services.remove(seen[1] ?? '');
    await make('e');
    const rest = await readAll(2, ({ limit, cursor = first.items[1]?.cursor ?? '' }) =>
      provider.services.list({ ownerId, limit, cursor }),
    );
    const ids = [...seen, ...rest.map(({ id }) => id)];
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toEqual(expect.arrayContaining(kept));
  },

  'a limit or a cursor that is none is refused by name': async ({ provider, workspaces }) => {
    const ownerId = workspaces[0];
    for (const limit of [0, 101, -1, 1.5, Number.NaN]) {
      await refused(provider.services.list({ ownerId, limit }), 'INPUT_INVALID');
    }
    await refused(
      provider.services.list({ ownerId, limit: 5, cursor: 'no cursor' }),
      'INPUT_INVALID',
    );
  },

  'an id that names nothing is unknown wherever it stands': async ({ provider }) => {
    const id = 'srv-00000000000000000000';
    const { services, deploys, events, metrics } = provider;
    const asked = [
      () => services.get(id),
      () => services.update(id, { name: 'x' }),
      () => services.remove(id),
      () => services.restart(id),
      () => services.replaceEnvVars(id, []),
      () => services.envVarNames(id),
      () => deploys.list({ serviceId: id, limit: 5 }),
      () => deploys.get(id, 'dep-00000000000000000000'),
      () => deploys.trigger(id, { clearCache: false }),
      () => deploys.cancel(id, 'dep-00000000000000000000'),
      () => deploys.rollback(id, 'dep-00000000000000000000'),
      () => events.list({ serviceId: id, limit: 5 }),
      () => metrics.series(metricQuery(id)),
      () => services.get('dpg-00000000000000000000-a'),
      () => services.get(''),
    ];
    for (const ask of asked) await refused(ask(), 'RESOURCE_UNKNOWN');
  },

  'the value of a variable is in no record, event, deploy or log': async (world) => {
    const { provider } = world;
    const envVars = [{ key: 'TOKEN', value: SECRET }];
    const { service } = await servedService(world, { envVars });
    const serviceId = service.id;
    await provider.services.replaceEnvVars(serviceId, [
      { key: 'TOKEN', value: SECRET },
      { key: 'OTHER', value: `${SECRET}-2` },
    ]);
    const told = JSON.stringify([
      await provider.services.get(serviceId),
      await provider.services.list({ ownerId: service.ownerId, limit: 100 }),
      await provider.deploys.list({ serviceId, limit: 100 }),
      await provider.events.list({ serviceId, limit: 100 }),
      await provider.logs.query({
        resource: [serviceId],
        direction: 'forward',
        limit: 100,
        startTime: new Date(world.now() - 3_600_000).toISOString(),
        endTime: new Date(world.now() + 60_000).toISOString(),
      }),
    ]);
    expect(told).not.toContain(SECRET);
    const names = await provider.services.envVarNames(serviceId);
    expect([...names].sort()).toEqual(['OTHER', 'TOKEN']);
  },

  'a removed service is unknown, and its name is free': async (world) => {
    const { provider } = world;
    const { service, deploy } = await servedService(world);
    await provider.services.remove(service.id);
    await refused(provider.services.get(service.id), 'RESOURCE_UNKNOWN');
    await refused(provider.deploys.get(service.id, deploy.id), 'RESOURCE_UNKNOWN');
    const again = await provider.services.create(webOrder(world));
    expect(again.service.id).not.toBe(service.id);
  },
};

/** A query for the processor's limit over the last hour of 1970-01-02. */
function metricQuery(resourceId: string): MetricQuery {
  return {
    resourceId,
    type: 'cpu_limit',
    start: 82_800_000,
    end: 86_400_000,
    resolutionSec: 60,
    cpuAggregation: 'AVG',
    latencyQuantile: 0.95,
  };
}
