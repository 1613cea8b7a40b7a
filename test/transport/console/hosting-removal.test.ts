import { expect } from 'vitest';
import { TOKEN } from '../../support/front-rig.ts';
import {
  errorOf,
  HOSTING_PATH,
  type HostedConsole,
  hostedClaim,
  jsonOf,
  liveService,
  postgresOf,
} from '../../support/hosted-console.ts';
import { WORKSPACES } from '../../support/hosting-world.ts';

const [ALPHA] = WORKSPACES;

async function keyValueOf({ world }: HostedConsole): Promise<string> {
  const { id } = await world.provider.keyValue.create({
    ownerId: ALPHA.id,
    name: 'cache',
    plan: 'free',
    region: 'oregon',
    maxmemoryPolicy: 'allkeys_lru',
    persistenceMode: 'off',
  });
  await world.clock.advance(10_000);
  return id;
}

/** Both databases, each with its part of the provider. */
async function databasesOf(rig: HostedConsole) {
  const { postgres, keyValue } = rig.world.provider;
  return [
    { id: await postgresOf(rig), name: 'store', store: postgres },
    { id: await keyValueOf(rig), name: 'cache', store: keyValue },
  ] as const;
}

hostedClaim('a service is deleted once its name is typed, and not before', async (rig) => {
  const id = await liveService(rig);
  const { services } = rig.world.provider;
  const path = `${HOSTING_PATH}/services/${id}/remove`;
  for (const body of [{}, { name: '' }, { name: 'Hello' }, { name: 'hello ' }, { name: 1 }]) {
    const answer = await rig.change(path, body);
    expect([body, answer.status]).toEqual([body, 422]);
    expect(await answer.json()).toMatchObject({ error: 'INPUT_INVALID', data: { path: 'name' } });
  }
  expect((await services.get(id)).id).toBe(id);
  expect(rig.told).toEqual([]);
  expect(await jsonOf(rig.change(path, { name: 'hello' }))).toEqual({ deployId: null });
  await expect(services.get(id)).rejects.toMatchObject({ code: 'RESOURCE_UNKNOWN' });
  expect(rig.told).toEqual([
    expect.stringMatching(new RegExp(`^console:[\\w-]{8} deleted ${id}$`)),
  ]);
  expect((await errorOf(rig.change(path, { name: 'hello' })))[1]).toBe('RESOURCE_UNKNOWN');
});

hostedClaim('databases are suspended, resumed and deleted by name', async (rig) => {
  for (const { id, name, store } of await databasesOf(rig)) {
    const database = `${HOSTING_PATH}/databases/${id}`;
    for (const body of [{}, { suspended: 'yes' }, { suspended: true, name }]) {
      expect((await errorOf(rig.change(`${database}/settings`, body)))[1]).toBe('INPUT_INVALID');
    }
    expect((await rig.change(`${database}/settings`, { suspended: true })).status).toBe(200);
    await rig.world.clock.advance(10_000);
    expect((await store.get(id)).status).toBe('suspended');
    expect((await rig.change(`${database}/settings`, { suspended: false })).status).toBe(200);
    await rig.world.clock.advance(10_000);
    expect((await store.get(id)).status).toBe('available');
    const wrong = await errorOf(rig.change(`${database}/remove`, { name: 'other' }));
    expect(wrong.slice(0, 2)).toEqual([422, 'INPUT_INVALID']);
    expect(wrong[2]).toContain(name);
    expect((await rig.change(`${database}/remove`, { name })).status).toBe(200);
    await expect(store.get(id)).rejects.toMatchObject({ code: 'RESOURCE_UNKNOWN' });
  }
  const done = rig.told.map((line) => line.split(' ')[1]);
  const each = ['suspended', 'resumed', 'deleted'];
  expect(done).toEqual([...each, ...each]);
});

hostedClaim('connection strings are answered on request, and stand nowhere else', async (rig) => {
  for (const { id, store } of await databasesOf(rig)) {
    const path = `${HOSTING_PATH}/databases/${id}/connection`;
    const { internal, external } = await store.connection(id);
    const answer = await rig.change(path);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(await answer.json()).toEqual({ internal, external });
    const read = await rig.read(`${HOSTING_PATH}/databases/${id}`);
    const listed = await rig.read(`${HOSTING_PATH}/databases?workspace=${ALPHA.id}`);
    const texts = [await read.text(), await listed.text(), ...rig.told];
    const { password } = new URL(external);
    expect(password).not.toBe('');
    for (const text of texts) {
      for (const secret of [internal, external, password]) expect(text).not.toContain(secret);
    }
    expect(rig.told.at(-1)).toMatch(new RegExp(`^console:[\\w-]{8} showed .* of ${id}$`));
    expect((await errorOf(rig.read(path)))[1]).toBe('RESOURCE_UNKNOWN');
    expect((await errorOf(rig.change(path, { id })))[1]).toBe('INPUT_INVALID');
  }
  const post = (headers: Record<string, string>) =>
    fetch(`${rig.baseUrl}${HOSTING_PATH}/databases/dpg-x/connection`, { method: 'POST', headers });
  expect((await post({})).status).toBe(401);
  expect((await post({ cookie: await rig.enter() })).status).toBe(401);
  expect((await post({ authorization: `Bearer ${TOKEN}` })).status).toBe(404);
});

hostedClaim(
  'without the operator’s leave nothing is deleted, suspended or shown',
  async (rig) => {
    const id = await liveService(rig);
    const [{ id: postgres, name, store }] = await databasesOf(rig);
    for (const [path, body] of [
      [`services/${id}/remove`, { name: 'hello' }],
      [`databases/${postgres}/remove`, { name }],
      [`databases/${postgres}/settings`, { suspended: true }],
      [`databases/${postgres}/connection`, {}],
    ] as const) {
      const answer = errorOf(rig.change(`${HOSTING_PATH}/${path}`, body));
      expect((await answer).slice(0, 2), path).toEqual([403, 'ACTION_OFF']);
    }
    expect((await store.get(postgres)).status).toBe('available');
    expect((await rig.world.provider.services.get(id)).name).toBe('hello');
  },
  { mayChange: false },
);
