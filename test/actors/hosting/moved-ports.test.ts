import { expect, test } from 'vitest';
import { keyValueOrder, postgresOrder, webOrder } from '../../conformance/hosting/world.ts';
import { localWorld } from '../../support/hosting/local-world.ts';
import { memoryDatabases } from '../../support/hosting/memory-databases.ts';

test('records name the console and the router where they are now, also after both moved', {
  timeout: 120_000,
}, async () => {
  let ports = { console: 8402, router: 8480 };
  const world = await localWorld({ databaseHosts: memoryDatabases(), ports: () => ports });
  try {
    const { service } = await world.provider.services.create(webOrder(world));
    const postgres = await world.provider.postgres.create(postgresOrder(world));
    const keyValue = await world.provider.keyValue.create(keyValueOrder(world));
    const site = await world.provider.services.create({
      type: 'static_site',
      ownerId: world.workspaces[0],
      name: 'site',
      repo: world.repo,
      autoDeploy: 'no',
      envVars: [],
      buildCommand: 'true',
      publishPath: '.',
    });
    expect(service.dashboardUrl).toContain(':8402/');
    expect(postgres.dashboardUrl).toContain(':8402/');
    ports = { console: 9402, router: 9480 };
    await world.reopen();
    const { services, postgres: servers, keyValue: caches } = world.provider;
    const moved = await services.get(service.id);
    expect(moved.dashboardUrl).toContain(':9402/');
    expect(moved.serviceDetails).toMatchObject({ url: 'http://shop.localhost:9480' });
    const [listed] = (await services.list({ ownerId: moved.ownerId, limit: 1 })).items;
    expect(listed?.item.dashboardUrl).toBe(moved.dashboardUrl);
    expect((await servers.get(postgres.id)).dashboardUrl).toContain(':9402/');
    expect((await caches.get(keyValue.id)).dashboardUrl).toContain(':9402/');
    expect((await services.get(site.service.id)).serviceDetails).toMatchObject({
      url: 'http://site.localhost:9480',
    });
  } finally {
    await world.close();
  }
});
