import { expect } from 'vitest';
import type { Claims } from './suite.ts';
import { ended, readAll, refused, servedService, webOrder } from './world.ts';

/** Claims about changes of a service: settings, variables, suspension, restarts. */
export const settingClaims: Claims = {
  'settings change as they were sent, the others stay': async (world) => {
    const { provider } = world;
    const { service } = await servedService(world);
    const patch = { name: 'store', healthCheckPath: '/', maxShutdownDelaySeconds: 5 };
    const { service: changed } = await provider.services.update(service.id, patch);
    expect(changed).toMatchObject({ id: service.id, name: 'store', slug: service.slug });
    expect(changed.serviceDetails).toMatchObject({
      healthCheckPath: '/',
      maxShutdownDelaySeconds: 5,
      startCommand: world.start,
      plan: 'starter',
    });
    expect(await provider.services.get(service.id)).toMatchObject({ name: 'store' });
  },

  'a change that needs a new version begins a deploy, another does not': async (world) => {
    const { provider } = world;
    const { service } = await servedService(world);
    expect((await provider.services.update(service.id, { name: 'b' })).deployId).toBeUndefined();
    const changed = await provider.services.update(service.id, { buildCommand: 'true && true' });
    const deploy = await ended(world, service.id, changed.deployId ?? '');
    expect(deploy).toMatchObject({ trigger: 'service_updated', status: 'live' });
  },

  'a setting that the type has not, or out of bounds, is refused and keeps all': async (world) => {
    const { provider } = world;
    const { service } = await servedService(world);
    const before = await provider.services.get(service.id);
    for (const patch of [
      { publishPath: 'public' },
      { schedule: '* * * * *' },
      { dockerCommand: 'run' },
      { numInstances: 0 },
      { maxShutdownDelaySeconds: 301 },
    ]) {
      await refused(provider.services.update(service.id, patch), 'INPUT_INVALID');
    }
    expect(await provider.services.get(service.id)).toEqual(before);
  },

  'a new name must be free': async (world) => {
    const { provider } = world;
    const one = await provider.services.create(webOrder(world, { name: 'one' }));
    await provider.services.create(webOrder(world, { name: 'two' }));
    await refused(provider.services.update(one.service.id, { name: 'two' }), 'NAME_TAKEN');
    const same = await provider.services.update(one.service.id, { name: 'one' });
    expect(same.service.name).toBe('one');
  },

  'variables are replaced as a whole, and a deploy follows': async (world) => {
    const { provider } = world;
    const envVars = [{ key: 'A', value: '1' }];
    const { service } = await servedService(world, { envVars });
    const replaced = await provider.services.replaceEnvVars(service.id, [
      { key: 'B', value: '2' },
      { key: 'C', value: '' },
    ]);
    const names = await provider.services.envVarNames(service.id);
    expect([...names].sort()).toEqual(['B', 'C']);
    const deploy = await ended(world, service.id, replaced.deployId ?? '');
    expect(deploy.status).toBe('live');
    await provider.services.replaceEnvVars(service.id, []);
    expect(await provider.services.envVarNames(service.id)).toEqual([]);
  },

  'a suspended service takes no deploy and no restart until it is resumed': async (world) => {
    const { provider } = world;
    const { service } = await servedService(world);
    const { id } = service;
    const suspended = await provider.services.update(id, { suspended: true });
    expect(suspended.service).toMatchObject({ suspended: 'suspended', suspenders: ['user'] });
    await refused(provider.deploys.trigger(id, { clearCache: false }), 'INPUT_INVALID');
    await refused(provider.services.restart(id), 'INPUT_INVALID');
    const resumed = await provider.services.update(id, { suspended: false });
    expect(resumed.service).toMatchObject({ suspended: 'not_suspended', suspenders: [] });
    const deploy = await ended(world, id, resumed.deployId ?? '');
    expect(deploy).toMatchObject({ trigger: 'service_resumed', status: 'live' });
    const events = await readAll(50, (page) => provider.events.list({ serviceId: id, ...page }));
    const types = events.map(({ type }) => type);
    expect(types).toEqual(expect.arrayContaining(['service_suspended', 'service_resumed']));
  },

  'a restart is an event; a static site has nothing to restart': async (world) => {
    const { provider, workspaces, repo } = world;
    const { service } = await servedService(world);
    await provider.services.restart(service.id);
    const query = { serviceId: service.id, types: ['server_restarted'] as const, limit: 10 };
    await world.until(
      async () => (await provider.events.list(query)).items.length === 1,
      'the restart in the events',
    );
    const site = await provider.services.create({
      type: 'static_site',
      ownerId: workspaces[0],
      name: 'site',
      repo,
      autoDeploy: 'no',
      envVars: [],
      buildCommand: 'true',
      publishPath: '.',
    });
    await refused(provider.services.restart(site.service.id), 'INPUT_INVALID');
  },

  'turning automatic deploys off and on is told': async (world) => {
    const { provider } = world;
    const { service } = await servedService(world);
    const { id } = service;
    expect((await provider.services.update(id, { autoDeploy: 'yes' })).service.autoDeploy).toBe(
      'yes',
    );
    await provider.services.update(id, { autoDeploy: 'no' });
    const types = ['auto_deploy_enabled', 'auto_deploy_disabled'] as const;
    const told = await provider.events.list({ serviceId: id, types, limit: 10 });
    expect(told.items.map(({ item }) => item.type)).toEqual([
      'auto_deploy_disabled',
      'auto_deploy_enabled',
    ]);
  },
};
