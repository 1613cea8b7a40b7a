import { expect, test } from 'vitest';
import { availableStores, calledHosting, liveShop, SHOP } from '../../support/called-hosting.ts';
import { WORKSPACES } from '../../support/hosting-world.ts';
import { proves } from '../../support/proves.ts';

const [ALPHA, BETA] = [WORKSPACES[0].id, WORKSPACES[1].id];

test('a web service is created with the defaults of the specification, and deployed', async () => {
  proves('H2.t2', 'H4.services.t3.c1', 'H4.services.t3.c2', 'H4.services.t3.c8');
  proves(
    'H4.services.t3.c10',
    'H4.services.t3.c11',
    'H4.services.t3.c12',
    'H2.s2',
    'H4.key-value.s1',
  );
  const hosting = calledHosting();
  const { line, value, text } = await hosting.call('create_web_service', SHOP);
  const { service, deployId, notes } = value;
  expect(line).toBe(
    `Created web service shop (${service.id}). Deploy ${deployId} has started: follow it with get_deploy.`,
  );
  expect(service).toMatchObject({
    type: 'web_service',
    name: 'shop',
    slug: 'shop',
    ownerId: ALPHA,
    repo: SHOP.repo,
    autoDeploy: 'yes',
    suspended: 'not_suspended',
    serviceDetails: {
      runtime: 'node',
      buildCommand: 'npm ci',
      startCommand: 'npm start',
      plan: 'starter',
      region: 'oregon',
    },
  });
  expect(notes).toEqual([
    'Everything runs in the memory of one process; a region is only a label.',
  ]);
  expect(text).toContain('a region is only a label');
});

test('what a caller says replaces the defaults', async () => {
  proves('H4.services.t3.c9', 'H4.services.t3.c13');
  const hosting = calledHosting();
  const { value } = await hosting.call('create_web_service', {
    ...SHOP,
    branch: 'dev',
    autoDeploy: 'no',
    plan: 'pro_ultra',
    region: 'singapore',
    envVars: [{ key: 'A', value: 'a-secret-value' }],
  });
  expect(value.service).toMatchObject({
    branch: 'dev',
    autoDeploy: 'no',
    serviceDetails: { plan: 'pro_ultra', region: 'singapore' },
  });
  expect(JSON.stringify(value)).not.toContain('a-secret-value');
  const shown = await hosting.call('get_service', { serviceId: value.service.id });
  expect(shown.value.envVarNames).toEqual(['A']);
  expect(shown.text).not.toContain('a-secret-value');
});

test('with runtime docker a Dockerfile stands for the commands', async () => {
  proves('H4.services.t3.c3', 'H4.services.t3.c4', 'H4.services.t3.c5', 'H4.services.t3.c6');
  proves('H4.services.t3.c7');
  const hosting = calledHosting();
  const { buildCommand: _build, startCommand: _start, ...docker } = { ...SHOP, runtime: 'docker' };
  const plain = await hosting.call('create_web_service', docker);
  expect(plain.value.service.serviceDetails).toMatchObject({
    runtime: 'docker',
    dockerfilePath: './Dockerfile',
    dockerContext: '.',
    dockerCommand: '',
  });
  const own = { dockerfilePath: 'a/Dockerfile', dockerContext: 'a', dockerCommand: 'serve' };
  const said = await hosting.call('create_web_service', { ...docker, ...own, name: 'two' });
  expect(said.value.service.serviceDetails).toMatchObject(own);
  const { buildCommand: _left, ...without } = SHOP;
  const native = await hosting.call('create_web_service', { ...without, name: 'three' });
  expect(native.text).toContain('buildCommand: received nothing, allowed: a command');
  const started = await hosting.call('create_web_service', { ...SHOP, startCommand: '' });
  expect(started.text).toContain('startCommand: received "", allowed: a command');
});

test('a static site serves the directory that was named', async () => {
  proves('H4.services.t4.c1', 'H4.services.t4.c2', 'H4.services.t4.c3', 'H4.services.t4.c4');
  proves('H4.services.t4.c5', 'H4.services.t4.c6', 'H4.services.t4.c7');
  const hosting = calledHosting();
  const { value } = await hosting.call('create_static_site', {
    name: 'site',
    buildCommand: 'make',
    repo: SHOP.repo,
    branch: 'dev',
    publishPath: 'dist',
    envVars: [{ key: 'A', value: '1' }],
  });
  expect(value.service).toMatchObject({
    type: 'static_site',
    branch: 'dev',
    autoDeploy: 'yes',
    repo: SHOP.repo,
    serviceDetails: { buildCommand: 'make', publishPath: 'dist' },
  });
  const again = await hosting.call('create_static_site', { name: 'site', buildCommand: 'make' });
  expect(again.value.error).toBe('NAME_TAKEN');
});

test('a cron job has its schedule, and the parameters of web services', async () => {
  proves('H4.services.t5.c1', 'H4.services.t5.c2', 'H4.services.t5.c3', 'H4.services.t5.c4');
  proves('H4.services.t5.c5', 'H4.services.t5.c6');
  const hosting = calledHosting();
  const { value } = await hosting.call('create_cron_job', { ...SHOP, schedule: '*/15 0-6 * * 0' });
  expect(value.service).toMatchObject({
    type: 'cron_job',
    autoDeploy: 'yes',
    serviceDetails: {
      schedule: '*/15 0-6 * * 0',
      runtime: 'node',
      plan: 'starter',
      region: 'oregon',
      // The world begins on a Sunday at noon.
      nextRunAt: '2026-03-08T00:00:00.000Z',
    },
  });
  const docker = { name: 'd', runtime: 'docker', schedule: '0 0 * * *', dockerCommand: 'run' };
  const image = await hosting.call('create_cron_job', docker);
  expect(image.value.service.serviceDetails).toMatchObject({
    runtime: 'docker',
    dockerCommand: 'run',
    dockerfilePath: './Dockerfile',
  });
  const missing = await hosting.call('create_cron_job', {
    name: 'e',
    runtime: 'node',
    schedule: '0 0 * * *',
    startCommand: 'x',
  });
  expect(missing.text).toContain('buildCommand: received nothing');
});

test('a name that is taken is refused by name, and free in another workspace', async () => {
  const hosting = calledHosting();
  await hosting.call('create_web_service', SHOP);
  const { value, text } = await hosting.call('create_cron_job', { ...SHOP, schedule: '0 0 * * *' });
  expect(value.error).toBe('NAME_TAKEN');
  expect(text).toContain('name: received "shop"');
  const other = await hosting.raw('create_web_service', { ...SHOP, workspaceId: BETA });
  expect(other.value.service.slug).toMatch(/^shop-.{4}$/);
});

test('a service without a repository is told where to push', async () => {
  const hosting = calledHosting();
  const { repo: _repo, ...order } = SHOP;
  const { value, line, text } = await hosting.call('create_web_service', order);
  expect(line).toContain('It waits for source to be pushed.');
  expect(text).toContain(`Push the source to ${value.service.pushUrl}`);
  expect(value.deployId).toBeUndefined();
});

test('services are listed in pages, with where each is reached', async () => {
  proves('H4.services.t1', 'H4.services.t2');
  const hosting = calledHosting();
  for (const name of ['a', 'b', 'c']) await hosting.call('create_web_service', { ...SHOP, name });
  const first = await hosting.call('list_services', { limit: 2, includePreviews: true });
  expect(first.value).toMatchObject({ hasMore: true, cursor: expect.any(String) });
  expect(first.line).toBe(`2 services of ${ALPHA}; for more, pass cursor ${first.value.cursor}.`);
  expect(first.text).toContain('http://a.localhost');
  const second = await hosting.call('list_services', { limit: 2, cursor: first.value.cursor });
  const names = [...first.value.services, ...second.value.services].map(({ name }) => name);
  expect(names).toEqual(['a', 'b', 'c']);
  expect(second.value).toMatchObject({ hasMore: false });
  const all = await hosting.call('list_services');
  expect(all.line).toBe(`3 services of ${ALPHA}.`);
});

test('the complete list of variables replaces what was, and a deploy follows', async () => {
  proves('H4.services.t6.c1', 'H4.services.t6.c2');
  const hosting = calledHosting();
  const envVars = [
    { key: 'OLD', value: 'old-value' },
    { key: 'KEPT', value: 'kept-value' },
  ];
  const serviceId = await liveShop(hosting, { envVars });
  const { value, text, line } = await hosting.call('update_environment_variables', {
    serviceId,
    envVars: [
      { key: 'KEPT', value: 'kept-value' },
      { key: 'NEW', value: 'n' },
    ],
  });
  expect(value).toEqual({
    serviceId,
    changed: true,
    envVarNames: ['KEPT', 'NEW'],
    removed: ['OLD'],
    deployId: expect.stringMatching(/^dep-/),
  });
  expect(line).toContain('now has 2 variables');
  expect(text).not.toContain('kept-value');
  const shown = await hosting.call('get_service', { serviceId });
  expect(shown.value.envVarNames).toEqual(['KEPT', 'NEW']);
});

test('the update tools change nothing and link to the settings', async () => {
  proves('H4.services.t7.c1', 'H4.services.t7.c2', 'H4.services.t7.c3', 'H7.t2.c1', 'H7.t2.c2');
  const hosting = calledHosting();
  const make = async (tool: string, args: object): Promise<string> =>
    String((await hosting.call(tool, args)).value.service.id);
  const ids = {
    update_web_service: await make('create_web_service', SHOP),
    update_static_site: await make('create_static_site', { name: 's', buildCommand: 'x' }),
    update_cron_job: await make('create_cron_job', { ...SHOP, name: 'c', schedule: '0 0 * * *' }),
  };
  for (const [tool, serviceId] of Object.entries(ids)) {
    const before = await hosting.provider.services.get(serviceId);
    const { value, line } = await hosting.call(tool, { serviceId });
    const settingsUrl = hosting.provider.services.settingsUrl(serviceId);
    expect(value).toEqual({ serviceId, updated: false, settingsUrl });
    expect(line).toContain('Nothing was updated');
    expect(line).toContain(settingsUrl);
    expect(await hosting.provider.services.get(serviceId)).toEqual(before);
  }
  const wrong = await hosting.call('update_static_site', { serviceId: ids.update_cron_job });
  expect(wrong.text).toContain('It is a cron job: use update_cron_job.');
});

test('no answer of any tool holds a password or an address with one', async () => {
  const hosting = calledHosting();
  const { postgresId, keyValueId } = await availableStores(hosting);
  const { external } = await hosting.provider.postgres.connection(postgresId);
  const secrets = [
    new URL(external).password,
    new URL((await hosting.provider.keyValue.connection(keyValueId)).external).password,
  ];
  for (const [tool, args] of [
    ['list_postgres_instances', {}],
    ['get_postgres', { postgresId }],
    ['list_key_value', {}],
    ['get_key_value', { keyValueId }],
    ['list_logs', { resource: [postgresId] }],
  ] as const) {
    const { text, value, isError } = await hosting.call(tool, args);
    expect(isError).toBe(false);
    for (const secret of secrets) expect(`${text}${JSON.stringify(value)}`).not.toContain(secret);
  }
});
