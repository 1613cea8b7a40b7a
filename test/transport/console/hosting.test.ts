import { expect } from 'vitest';
import { TOKEN } from '../../support/front-rig.ts';
import {
  ENV_SECRET,
  errorOf,
  HOSTING_PATH,
  hostedClaim,
  jsonOf,
  liveService,
  postgresOf,
  webService,
} from '../../support/hosted-console.ts';
import { WORKSPACES } from '../../support/hosting-world.ts';

const [ALPHA, BETA] = WORKSPACES;

hostedClaim('an overview tells provider, workspaces, and whether changes are on', async (rig) => {
  const answer = await rig.read(HOSTING_PATH);
  expect(answer.headers.get('cross-origin-resource-policy')).toBe('same-origin');
  expect(answer.headers.get('cache-control')).toBe('no-store');
  expect(await answer.json()).toEqual({
    provider: 'memory',
    mayChange: true,
    workspaces: WORKSPACES,
    regions: expect.stringContaining('label'),
  });
});

hostedClaim('only a page that has entered, and the operator, read', async (rig) => {
  const bare = (headers: Record<string, string>) =>
    fetch(`${rig.baseUrl}${HOSTING_PATH}`, { headers });
  expect((await bare({})).status).toBe(401);
  expect((await bare({ cookie: 'stoa_console=v1.9.x.y' })).status).toBe(401);
  expect((await bare({ authorization: `Bearer ${TOKEN}` })).status).toBe(200);
  expect((await bare({ authorization: 'Bearer wrong' })).status).toBe(401);
  expect((await rig.read(HOSTING_PATH, { origin: rig.baseUrl })).status).toBe(200);
  for (const headers of [
    { origin: 'https://evil.example' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'x-forwarded-for': '192.0.2.1' },
  ]) {
    expect((await rig.read(HOSTING_PATH, headers)).status, JSON.stringify(headers)).toBe(403);
  }
});

hostedClaim('a change needs our own origin and the cookie', async (rig) => {
  const id = await liveService(rig);
  const url = `${rig.baseUrl}${HOSTING_PATH}/services/${id}/restart`;
  const post = (headers: Record<string, string>) => fetch(url, { method: 'POST', headers });
  const cookie = await rig.enter();
  expect((await post({})).status).toBe(401);
  expect((await post({ cookie })).status).toBe(401);
  expect((await post({ origin: rig.baseUrl })).status).toBe(401);
  expect((await post({ origin: 'https://evil.example', cookie })).status).toBe(403);
  expect((await post({ origin: rig.baseUrl, cookie })).status).toBe(200);
  expect((await post({ authorization: `Bearer ${TOKEN}` })).status).toBe(200);
});

hostedClaim(
  'without the operator’s leave nothing changes, and the refusal names the flag',
  async (rig) => {
    const id = await liveService(rig);
    const [status, code, message] = await errorOf(
      rig.change(`${HOSTING_PATH}/services/${id}/settings`, { name: 'other' }),
    );
    expect([status, code]).toEqual([403, 'ACTION_OFF']);
    expect(message).toContain('--console-actions hosting');
    expect((await rig.world.provider.services.get(id)).name).toBe('hello');
    expect(await jsonOf(rig.read(HOSTING_PATH))).toMatchObject({ mayChange: false });
  },
  { mayChange: false },
);

hostedClaim(
  'where nothing is hosted every address says that it is not configured',
  async (rig) => {
    for (const path of ['', '/services?workspace=x', '/services/srv-x', '/logs/tail?resource=x']) {
      expect(await errorOf(rig.read(`${HOSTING_PATH}${path}`))).toEqual([
        ...[503, 'NOT_CONFIGURED'],
        expect.stringContaining('Nothing is hosted yet'),
      ]);
    }
    const changed = rig.change(`${HOSTING_PATH}/services/srv-x/restart`);
    expect((await errorOf(changed)).slice(0, 2)).toEqual([503, 'NOT_CONFIGURED']);
  },
  { isHosting: false },
);

hostedClaim(
  'services are listed by workspace in pages, each with its newest deploy',
  async (rig) => {
    const { provider } = rig.world;
    for (let at = 0; at < 26; at += 1) {
      await provider.services.create(webService({ name: `service ${at}` }));
    }
    const first = await jsonOf(rig.read(`${HOSTING_PATH}/services?workspace=${ALPHA.id}`));
    expect(first.rows).toHaveLength(25);
    expect(first.rows[0]).toMatchObject({
      service: { name: 'service 0' },
      deploy: { trigger: 'first_build' },
    });
    const rest = await jsonOf(
      rig.read(`${HOSTING_PATH}/services?workspace=${ALPHA.id}&cursor=${first.cursor}`),
    );
    expect(rest).toMatchObject({ rows: [{ service: { name: 'service 25' } }], cursor: null });
    expect((await jsonOf(rig.read(`${HOSTING_PATH}/services?workspace=${BETA.id}`))).rows).toEqual(
      [],
    );
  },
);

hostedClaim('a service tells names of variables and never a value', async (rig) => {
  const id = await liveService(rig);
  const answer = await rig.read(`${HOSTING_PATH}/services/${id}`);
  const text = await answer.text();
  expect(JSON.parse(text)).toMatchObject({
    service: { id },
    deploy: { status: 'live' },
    envVarNames: ['API_KEY'],
  });
  expect(text).not.toContain(ENV_SECRET);
});

hostedClaim(
  'deploys and events are read newest first, with the reason of a failure',
  async (rig) => {
    const id = await liveService(rig);
    const { provider, clock } = rig.world;
    provider.failNext(id, 'build', { nonZeroExit: 7 });
    await provider.deploys.trigger(id, { clearCache: false });
    await clock.advance(10_000);
    const deploys = await jsonOf(rig.read(`${HOSTING_PATH}/services/${id}/deploys`));
    expect(deploys.rows).toMatchObject([
      { status: 'build_failed', reason: { nonZeroExit: 7 } },
      { status: 'live' },
    ]);
    const events = await jsonOf(rig.read(`${HOSTING_PATH}/services/${id}/events`));
    expect(events.rows.at(-1)).toMatchObject({ type: 'deploy_started' });
    expect(JSON.stringify(events)).toContain('"nonZeroExit":7');
  },
);

hostedClaim('settings change for real, and what needs a deploy begins one', async (rig) => {
  const id = await liveService(rig);
  const patch = { name: 'renamed', startCommand: 'node main.js', numInstances: 2 };
  const { deployId } = await jsonOf(rig.change(`${HOSTING_PATH}/services/${id}/settings`, patch));
  const { provider } = rig.world;
  expect(await provider.services.get(id)).toMatchObject({
    name: 'renamed',
    serviceDetails: { startCommand: 'node main.js', numInstances: 2 },
  });
  expect((await provider.deploys.get(id, deployId)).trigger).toBe('service_updated');
  expect(rig.told).toEqual([
    expect.stringMatching(
      new RegExp(`^console:[\\w-]{8} changed name, startCommand, numInstances of ${id}$`),
    ),
  ]);
  expect(
    await jsonOf(rig.change(`${HOSTING_PATH}/services/${id}/settings`, { autoDeploy: 'no' })),
  ).toEqual({
    deployId: null,
  });
});

hostedClaim('a setting that does not fit is refused by name, and nothing changes', async (rig) => {
  const id = await liveService(rig);
  const before = await rig.world.provider.services.get(id);
  for (const [patch, path] of [
    [{}, ''],
    [{ name: '' }, 'name'],
    [{ name: 'a\u0000b' }, 'name'],
    [{ branch: '../x' }, 'branch'],
    [{ plan: 'huge' }, 'plan'],
    [{ numInstances: 0 }, 'numInstances'],
    [{ numInstances: 1.5 }, 'numInstances'],
    [{ numInstances: '2' }, 'numInstances'],
    [{ startCommand: '  ' }, 'startCommand'],
    [{ healthCheckPath: 'health' }, 'healthCheckPath'],
    [{ schedule: '* * *' }, 'schedule'],
    [{ publishPath: '/etc' }, 'publishPath'],
    [{ publishPath: 'public' }, 'publishPath'],
    [{ dockerCommand: 'x' }, 'dockerCommand'],
    [{ ownerId: BETA.id }, 'ownerId'],
  ] as const) {
    const answer = await rig.change(`${HOSTING_PATH}/services/${id}/settings`, patch);
    const told = JSON.stringify(patch);
    expect(answer.status, told).toBe(422);
    expect(await answer.json(), told).toMatchObject({ error: 'INPUT_INVALID', data: { path } });
  }
  await rig.world.provider.services.create(webService({ name: 'taken' }));
  const taken = rig.change(`${HOSTING_PATH}/services/${id}/settings`, { name: 'taken' });
  expect((await errorOf(taken)).slice(0, 2)).toEqual([409, 'NAME_TAKEN']);
  expect(await rig.world.provider.services.get(id)).toEqual(before);
});

hostedClaim('bodies that are no JSON, or too large, are refused', async (rig) => {
  const id = await liveService(rig);
  const path = `${HOSTING_PATH}/services/${id}/settings`;
  for (const body of ['', '[]', 'null', '"x"', '{', '{"name":1}']) {
    expect((await errorOf(rig.change(path, body)))[1], body).toBe('INPUT_INVALID');
  }
  const large = rig.change(path, { name: 'x'.repeat(2_200_000) });
  expect((await errorOf(large)).slice(0, 2)).toEqual([413, 'BODY_TOO_LARGE']);
});

hostedClaim(
  'variables are replaced as a whole, and no answer or notice holds a value',
  async (rig) => {
    const id = await liveService(rig);
    const path = `${HOSTING_PATH}/services/${id}/env`;
    const envVars = [{ key: 'ONE', value: `${ENV_SECRET}-1` }];
    const answer = await (await rig.change(path, { envVars })).text();
    expect(JSON.parse(answer).deployId).toMatch(/^dep-/);
    expect(await rig.world.provider.services.envVarNames(id)).toEqual(['ONE']);
    const refused = await (
      await rig.change(path, { envVars: [...envVars, { key: '1BAD', value: ENV_SECRET }] })
    ).text();
    expect(JSON.parse(refused)).toMatchObject({ data: { path: 'envVars.1.key' } });
    const twice = await (await rig.change(path, { envVars: [...envVars, ...envVars] })).text();
    const odd = await (
      await rig.change(path, { envVars: [{ key: 'A', value: [ENV_SECRET] }] })
    ).text();
    const nul = await (
      await rig.change(path, { envVars: [{ key: 'A', value: `${ENV_SECRET}\u0000` }] })
    ).text();
    expect(JSON.parse(nul)).toMatchObject({ data: { path: 'envVars.0.value' } });
    for (const text of [answer, refused, twice, odd, nul, rig.told.join()]) {
      expect(text).not.toContain(ENV_SECRET);
    }
    expect((await rig.change(path, { envVars: [] })).status).toBe(200);
    expect(await rig.world.provider.services.envVarNames(id)).toEqual([]);
  },
);

hostedClaim(
  'a service is deployed, canceled, rolled back, restarted, suspended, resumed',
  async (rig) => {
    const id = await liveService(rig);
    const { provider, clock } = rig.world;
    const service = `${HOSTING_PATH}/services/${id}`;
    const { deployId } = await jsonOf(rig.change(`${service}/deploy`, { clearCache: true }));
    expect((await provider.deploys.get(id, deployId)).trigger).toBe('manual');
    expect((await rig.change(`${service}/deploys/${deployId}/cancel`)).status).toBe(200);
    expect((await provider.deploys.get(id, deployId)).status).toBe('canceled');
    const again = rig.change(`${service}/deploys/${deployId}/cancel`);
    expect((await errorOf(again))[1]).toBe('INPUT_INVALID');
    await rig.change(`${service}/deploy`);
    await clock.advance(10_000);
    const { items } = await provider.deploys.list({ serviceId: id, limit: 10 });
    const old = items.find(({ item }) => item.status === 'deactivated')?.item.id;
    const back = await jsonOf(rig.change(`${service}/deploys/${old}/rollback`));
    expect((await provider.deploys.get(id, back.deployId)).trigger).toBe('rollback');
    await clock.advance(10_000);
    expect((await rig.change(`${service}/restart`)).status).toBe(200);
    expect((await rig.change(`${service}/settings`, { suspended: true })).status).toBe(200);
    expect((await provider.services.get(id)).suspended).toBe('suspended');
    expect((await rig.change(`${service}/settings`, { suspended: false })).status).toBe(200);
    expect((await provider.services.get(id)).suspended).toBe('not_suspended');
    expect(rig.told).toHaveLength(7);
  },
);

hostedClaim(
  'allowlists of databases are replaced, and a range that is none is refused',
  async (rig) => {
    const id = await postgresOf(rig);
    const path = `${HOSTING_PATH}/databases/${id}/allow-list`;
    const ranges = [
      { cidrBlock: '203.0.113.0/24', description: 'office' },
      { cidrBlock: '2001:db8::/48', description: '' },
    ];
    expect((await rig.change(path, { ranges })).status).toBe(200);
    expect(await jsonOf(rig.read(`${HOSTING_PATH}/databases/${id}`))).toMatchObject({
      kind: 'postgres',
      database: { ipAllowList: ranges },
    });
    for (const cidrBlock of [
      ...['203.0.113.7', '203.0.113.7/33', '999.0.0.1/8', '1.2.3.4/08', '::1/129', 'all', '/8', ''],
      ...['fe80::1%eth0/64', '203.0.113.0/24 '],
    ]) {
      const answer = rig.change(path, { ranges: [{ cidrBlock, description: '' }] });
      expect((await errorOf(answer))[1], cidrBlock).toBe('INPUT_INVALID');
    }
    const twice = [ranges[0], ranges[0]];
    expect((await rig.change(path, { ranges: twice })).status).toBe(422);
    expect((await rig.change(path, { ranges: [] })).status).toBe(200);
    expect((await rig.world.provider.postgres.get(id)).ipAllowList).toEqual([]);
    const listed = await jsonOf(rig.read(`${HOSTING_PATH}/databases?workspace=${ALPHA.id}`));
    expect(listed).toMatchObject({ postgres: [{ id }], keyValue: [], hasMore: false });
    expect(JSON.stringify(listed)).not.toMatch(/password|postgresql:/);
  },
);

hostedClaim('metrics stand on even steps, and a step without a value is null', async (rig) => {
  const id = await liveService(rig);
  const series = rig.world.provider.metrics.series;
  const spoiled = rig.world.provider.metrics as { series: typeof series };
  spoiled.series = async (query) =>
    (await series(query)).map((one) => ({
      ...one,
      values: one.values.filter((_, at) => at !== 5),
    }));
  const told = await jsonOf(rig.read(`${HOSTING_PATH}/metrics?resource=${id}&hours=6`));
  expect([told.stepSec, told.times.length]).toEqual([180, 120]);
  expect(told.plots.map(({ name }: { name: string }) => name)).toEqual([
    ...['processor', 'memory', 'instances', 'requests', 'latency', 'bandwidth'],
  ]);
  const [processor, memory] = told.plots;
  expect(processor.lines.map(({ label }: { label: string }) => label)).toEqual([
    'limit per instance',
    'used',
  ]);
  expect(processor.lines[1].values.slice(4, 7)).toEqual([0.125, null, 0.125]);
  expect(memory.unit).toBe('bytes');
  expect((await rig.read(`${HOSTING_PATH}/metrics?resource=${id}&hours=5`)).status).toBe(422);
  expect((await rig.read(`${HOSTING_PATH}/metrics?resource=srv-none`)).status).toBe(404);
  const database = await jsonOf(
    rig.read(`${HOSTING_PATH}/metrics?resource=${await postgresOf(rig)}`),
  );
  expect(database.plots.at(-1)).toMatchObject({ name: 'connections', unit: 'count' });
});

hostedClaim('addresses that lead nowhere say so', async (rig) => {
  const id = await liveService(rig);
  for (const path of [
    ...['/other', `/services/${id}/other`, `/services/${id}/deploys/x`, '/databases/srv-x'],
    ...['/services/%', '/services/srv-none', `/services/${'x'.repeat(100)}`, '/databases/x/y/z'],
  ]) {
    expect((await errorOf(rig.read(`${HOSTING_PATH}${path}`)))[1], path).toBe('RESOURCE_UNKNOWN');
  }
  for (const path of [
    ...['', '/services', `/services/${id}`, `/services/${id}/other`, '/x/y/z'],
    ...['/databases/dpg-x/other', '/databases/dpg-x/settings/x', '/databases/red-x/connection'],
  ]) {
    expect((await errorOf(rig.change(`${HOSTING_PATH}${path}`)))[1], path).toBe('RESOURCE_UNKNOWN');
  }
  expect((await rig.read(`${HOSTING_PATH}/services/${id}?extra=1`)).status).toBe(422);
});
