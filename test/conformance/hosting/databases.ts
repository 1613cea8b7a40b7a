import { expect } from 'vitest';
import type { Paged } from '../../../src/domain/hosting/hosting.ts';
import type { KeyValue, Postgres } from '../../../src/domain/hosting/records.ts';
import type { Claims } from './suite.ts';
import { type HostingWorld, keyValueOrder, postgresOrder, readAll, refused } from './world.ts';

/** Waits until a Postgres can be connected to. */
export async function availablePostgres(world: HostingWorld, name = 'books', version = 16) {
  const { postgres } = world.provider;
  const { id } = await postgres.create(postgresOrder(world, { name, version }));
  await world.until(async () => (await postgres.get(id)).status === 'available', 'the Postgres');
  return postgres.get(id);
}

/** What records tell while a database is suspended, and once it is resumed. */
const SUSPENSIONS = {
  postgres: [
    ['suspended', 'suspended'],
    ['available', 'not_suspended'],
  ],
  key_value: [['suspended'], ['available']],
} as const;

/** What a record tells of its suspension. */
function suspensionIn(record: Postgres | KeyValue): readonly string[] {
  return 'suspended' in record ? [record.status, record.suspended] : [record.status];
}

/** The two kinds of databases, as far as they are alike. */
function kinds({ provider, databases = ['postgres', 'key_value'] }: HostingWorld) {
  const { postgres, keyValue } = provider;
  const all = [
    {
      kind: 'postgres',
      port: postgres,
      form: /^dpg-[0-9a-v]{20}-a$/,
      scheme: /^postgres(ql)?:$/,
      create: (world: HostingWorld, more: object) => postgres.create(postgresOrder(world, more)),
    },
    {
      kind: 'key_value',
      port: keyValue,
      form: /^red-[0-9a-v]{20}$/,
      scheme: /^rediss?:$/,
      create: (world: HostingWorld, more: object) => keyValue.create(keyValueOrder(world, more)),
    },
  ] as const;
  return all.filter(({ kind }) => databases.includes(kind));
}

/** Claims about Postgres and Key Value as records. */
export const databaseClaims: Claims = {
  'a database is made at once, and available some time later': async (world) => {
    for (const { create, port, form } of kinds(world)) {
      const made = await create(world, {});
      expect(made.id).toMatch(form);
      expect(['creating', 'available']).toContain(made.status);
      expect(made).toMatchObject({ ownerId: world.workspaces[0], plan: 'free', region: 'oregon' });
      await world.until(async () => (await port.get(made.id)).status === 'available', made.id);
    }
  },

  'a Postgres is its order: version, disk, a database and a user': async (world) => {
    const postgres = await availablePostgres(world);
    expect(postgres).toMatchObject({
      name: 'books',
      version: '16',
      diskSizeGB: 1,
      role: 'primary',
    });
    expect(postgres.databaseName).toMatch(/^[a-z0-9_]+$/);
    expect(postgres.databaseUser).toMatch(/^[a-z0-9_]+$/);
  },

  'a Key Value instance is its order: policy and persistence': async (world) => {
    const order = { maxmemoryPolicy: 'volatile_ttl', persistenceMode: 'snapshot' } as const;
    const made = await world.provider.keyValue.create(keyValueOrder(world, order));
    expect(made.options).toEqual(order);
    expect(made.version).toMatch(/\w+ \d+\.\d+/);
  },

  'a connection holds a password that no record holds': async (world) => {
    for (const { create, port, scheme } of kinds(world)) {
      const { id } = await create(world, {});
      await world.until(async () => (await port.get(id)).status === 'available', id);
      const { internal, external, allowList } = await port.connection(id);
      const { password } = new URL(external);
      expect(password.length).toBeGreaterThanOrEqual(16);
      expect(new URL(internal).protocol).toMatch(scheme);
      const told = JSON.stringify([
        await port.get(id),
        await port.list({ ownerId: world.workspaces[0], limit: 100 }),
      ]);
      expect(told).not.toContain(password);
      expect(allowList).toEqual((await port.get(id)).ipAllowList);
    }
  },

  'this machine alone may connect until the allowlist says otherwise': async (world) => {
    for (const { create, port } of kinds(world)) {
      const { id, ipAllowList } = await create(world, {});
      expect(ipAllowList.length).toBeGreaterThan(0);
      for (const { cidrBlock } of ipAllowList) expect(cidrBlock).toMatch(/^(127\.|::1\/128)/);
      const ranges = [{ cidrBlock: '10.1.0.0/16', description: 'office' }];
      expect((await port.setAllowList(id, ranges)).ipAllowList).toEqual(ranges);
      expect((await port.setAllowList(id, [])).ipAllowList).toEqual([]);
      const wrong = [{ cidrBlock: 'everyone', description: '' }];
      await refused(port.setAllowList(id, wrong), 'INPUT_INVALID');
      expect((await port.get(id)).ipAllowList).toEqual([]);
    }
  },

  'a suspended database is told as such until it is resumed, and orders may be repeated': async (
    world,
  ) => {
    for (const { kind, create, port } of kinds(world)) {
      const [suspended, resumed] = SUSPENSIONS[kind];
      const { id } = await create(world, {});
      const isAt = (status: string) => async () => (await port.get(id)).status === status;
      await world.until(isAt('available'), id);
      for (let time = 0; time < 2; time += 1) {
        expect(suspensionIn(await port.setSuspended(id, true))).toEqual(suspended);
      }
      expect(suspensionIn(await port.get(id))).toEqual(suspended);
      await port.setSuspended(id, false);
      await world.until(isAt('available'), `${id} again`);
      expect(suspensionIn(await port.setSuspended(id, false))).toEqual(resumed);
    }
  },

  'databases have names of their own, and pages': async (world) => {
    const [ownerId, otherId] = world.workspaces;
    for (const { create, port } of kinds(world)) {
      const first = await create(world, { name: 'one' });
      await refused(create(world, { name: 'one' }), 'NAME_TAKEN');
      await create(world, { name: 'one', ownerId: otherId });
      await create(world, { name: 'two' });
      const list = (page: { limit: number; cursor?: string }): Promise<Paged<{ name: string }>> =>
        port.list({ ownerId, ...page });
      const listed = await readAll(1, list);
      expect(listed.map(({ name }) => name).sort()).toEqual(['one', 'two']);
      await port.remove(first.id);
      await refused(port.get(first.id), 'RESOURCE_UNKNOWN');
    }
  },

  'a database that there is not is unknown': async (world) => {
    for (const { port } of kinds(world)) {
      for (const ask of [port.get, port.remove, port.connection]) {
        await refused(ask('srv-00000000000000000000'), 'RESOURCE_UNKNOWN');
      }
      await refused(port.setAllowList('none', []), 'RESOURCE_UNKNOWN');
      await refused(port.setSuspended('none', true), 'RESOURCE_UNKNOWN');
    }
  },

  'an empty allowlist lets no statement through': async (world) => {
    const { postgres } = world.provider;
    const { id } = await availablePostgres(world);
    await postgres.setAllowList(id, []);
    const asked = postgres.query(id, 'select 1', new AbortController().signal);
    await refused(asked, 'SQL_BLOCKED');
  },
};
