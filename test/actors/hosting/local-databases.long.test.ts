import { afterEach, beforeEach, expect, test } from 'vitest';
import { databaseClaims } from '../../conformance/hosting/databases.ts';
import { keyValueOrder, postgresOrder, refused } from '../../conformance/hosting/world.ts';
import { deferred } from '../../support/deferred.ts';
import { type LocalWorld, localWorld } from '../../support/hosting/local-world.ts';
import { type MemoryDatabases, memoryDatabases } from '../../support/hosting/memory-databases.ts';

const TIMEOUT = { timeout: 120_000 };
let databaseHosts: MemoryDatabases;
let world: LocalWorld;
beforeEach(async () => {
  databaseHosts = memoryDatabases();
  world = await localWorld({ databaseHosts });
});
afterEach(() => world.close());

test.each(Object.entries(databaseClaims))('actors: %s', TIMEOUT, async (_what, run) => run(world));

test(
  'a server that ends by itself is started again, and its record says why',
  TIMEOUT,
  async () => {
    const { id } = await available();
    databaseHosts.failures.set('start', { ok: false, reason: 'no room', isFinal: false });
    databaseHosts.running.delete(id);
    await statusIs(id, 'unavailable');
    expect((await world.provider.postgres.get(id)).reason).toBeDefined();
    await statusIs(id, 'available');
    expect((await world.provider.postgres.get(id)).reason).toBeUndefined();
    expect(databaseHosts.done.filter((one) => one === `make ${id}`)).toHaveLength(1);
  },
);

test('what can never be made waits for somebody, with the reason', TIMEOUT, async () => {
  databaseHosts.failures.set('make', { ok: false, reason: 'nothing installed', isFinal: true });
  const { id } = await world.provider.postgres.create(postgresOrder(world));
  await statusIs(id, 'recovery_failed');
  expect((await world.provider.postgres.get(id)).reason).toBe('nothing installed');
});

test(
  'a database is taken up by the next daemon, and not made or started twice',
  TIMEOUT,
  async () => {
    const { id } = await available();
    const { external } = await world.provider.postgres.connection(id);
    await world.reopen();
    expect((await world.provider.postgres.get(id)).status).toBe('available');
    expect((await world.provider.postgres.connection(id)).external).toBe(external);
    expect(databaseHosts.done).toEqual([`make ${id}`, `start ${id}`]);
  },
);

test('a change of the allowlist while a server starts is not lost', TIMEOUT, async () => {
  const { id } = await world.provider.postgres.create(postgresOrder(world));
  for (const cidrBlock of ['10.0.0.0/8', '10.1.0.0/16', '10.2.0.0/16']) {
    await world.provider.postgres.setAllowList(id, [{ cidrBlock, description: '' }]);
  }
  await statusIs(id, 'available');
  await world.provider.postgres.setAllowList(id, []);
  await world.provider.postgres.setAllowList(id, [{ cidrBlock: '::1/128', description: '' }]);
  const taken = databaseHosts.lists.filter(({ what }) => /^(start|reload) /.test(what));
  expect(taken.at(-1)?.ranges).toEqual(['::1/128']);
});

test(
  'a changed allowlist is taken by the server that runs, before the change is told',
  TIMEOUT,
  async () => {
    const { id } = await available();
    databaseHosts.done.length = 0;
    await world.provider.postgres.setAllowList(id, []);
    expect(databaseHosts.done).toEqual([`reload ${id}`]);
    expect((await world.provider.postgres.get(id)).status).toBe('available');
  },
);

test('a server that does not take its allowlist is started anew with it', TIMEOUT, async () => {
  const { id } = await available();
  databaseHosts.done.length = 0;
  databaseHosts.failures.set('reload', { ok: false, reason: 'busy', isFinal: false });
  await world.provider.postgres.setAllowList(id, []);
  await world.until(async () => databaseHosts.done.includes(`start ${id}`), 'the start');
  expect(databaseHosts.done).toEqual([`reload ${id}`, `stop ${id}`, `start ${id}`]);
  await statusIs(id, 'available');
});

test(
  'what is being made or started is not suspended, and its owner is told to wait',
  TIMEOUT,
  async () => {
    const { postgres } = world.provider;
    for (const [what, status] of [
      ['make', 'creating'],
      ['start', 'recovery_in_progress'],
    ] as const) {
      const { promise, resolve } = deferred<void>();
      databaseHosts.waits.set(what, promise);
      const { id } = await postgres.create(postgresOrder(world, { name: what }));
      await statusIs(id, status);
      const error = await refused(postgres.setSuspended(id, true), 'HOST_UNAVAILABLE');
      expect(error.message).toContain(status);
      resolve();
      await statusIs(id, 'available');
      expect((await postgres.setSuspended(id, true)).status).toBe('suspended');
    }
  },
);

test('a server that is resumed while it still ends is started once it has', TIMEOUT, async () => {
  const { postgres } = world.provider;
  const { id } = await available();
  const { promise, resolve } = deferred<void>();
  databaseHosts.waits.set('stop', promise);
  databaseHosts.done.length = 0;
  await postgres.setSuspended(id, true);
  const resumed = postgres.setSuspended(id, false);
  resolve();
  await resumed;
  await statusIs(id, 'available');
  expect(databaseHosts.done).toEqual([`stop ${id}`, `start ${id}`]);
});

test('a removed database is erased once, and its name is free again', TIMEOUT, async () => {
  const { keyValue } = world.provider;
  const { id } = await keyValue.create(keyValueOrder(world));
  await keyValue.remove(id);
  await world.until(async () => databaseHosts.done.includes(`erase ${id}`), 'the end');
  expect(databaseHosts.done.filter((one) => one === `erase ${id}`)).toHaveLength(1);
  const other = await keyValue.create(keyValueOrder(world));
  expect(other.id).not.toBe(id);
});

test('where this machine has no hosts an order says so, and lists are empty', TIMEOUT, async () => {
  const bare = await localWorld({
    databaseHosts: { postgres: undefined, keyValue: undefined },
  });
  try {
    const { postgres, keyValue } = bare.provider;
    const error = await refused(postgres.create(postgresOrder(bare)), 'NOT_CONFIGURED');
    expect(error.message).toContain('Postgres is not set up');
    await refused(keyValue.create(keyValueOrder(bare)), 'NOT_CONFIGURED');
    const { items } = await postgres.list({ ownerId: bare.workspaces[0], limit: 10 });
    expect(items).toEqual([]);
    expect(await bare.provider.listFeatures()).toMatchObject({ keyValue: { able: false } });
  } finally {
    await bare.close();
  }
});

test('a version that this machine lacks is refused with its reason', TIMEOUT, async () => {
  const order = postgresOrder(world, { version: 13 });
  const error = await refused(world.provider.postgres.create(order), 'NOT_CONFIGURED');
  expect(error.message).toContain('Postgres 13');
});

async function available() {
  const { id } = await world.provider.postgres.create(postgresOrder(world));
  await statusIs(id, 'available');
  return { id };
}

async function statusIs(id: string, status: string): Promise<void> {
  await world.until(
    async () => (await world.provider.postgres.get(id)).status === status,
    `${id} to be ${status}`,
  );
}
