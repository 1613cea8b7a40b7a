import { beforeAll, describe, expect, test } from 'vitest';
import {
  availableStores,
  type CalledHosting,
  calledHosting,
  liveShop,
  SHOP,
} from '../../support/called-hosting.ts';
import { BEGIN_MS, WORKSPACES } from '../../support/hosting-world.ts';
import { proves } from '../../support/proves.ts';
import { TOOL_NAMES } from '../../tidy/tool-names.ts';

const SECRET = 'hunter2-never-repeat';
const LONG = 'x'.repeat(40_000);

let hosting: CalledHosting;
let right: Readonly<Record<string, Readonly<Record<string, unknown>>>>;

beforeAll(async () => {
  hosting = calledHosting({ sql: async () => ({ columns: [], rows: [] }) });
  const serviceId = await liveShop(hosting);
  const { postgresId, keyValueId } = await availableStores(hosting);
  const deployId = (await hosting.provider.deploys.list({ serviceId, limit: 1 })).items[0]?.item.id;
  const program = { ...SHOP, name: 'new' };
  right = {
    select_workspace: { ownerID: WORKSPACES[0].id },
    list_services: {},
    get_service: { serviceId },
    create_web_service: program,
    create_static_site: { name: 'new', buildCommand: 'true' },
    create_cron_job: { ...program, schedule: '0 0 * * *' },
    update_environment_variables: { serviceId, envVars: [] },
    update_web_service: { serviceId },
    update_static_site: { serviceId },
    update_cron_job: { serviceId },
    list_deploys: { serviceId },
    get_deploy: { serviceId, deployId },
    trigger_deploy: { serviceId },
    list_events: { serviceId },
    list_logs: { resource: [serviceId] },
    list_log_label_values: { label: 'level', resource: [serviceId] },
    get_metrics: { resourceId: serviceId, metricTypes: ['cpu_usage'] },
    query_hosted_postgres: { postgresId, sql: 'select 1' },
    list_postgres_instances: {},
    get_postgres: { postgresId },
    create_postgres: { name: 'new', plan: 'free' },
    list_key_value: {},
    get_key_value: { keyValueId },
    create_key_value: { name: 'new', plan: 'free' },
  };
});

/** Everything that a wrong call could have changed. */
async function held() {
  const { provider, workspaces } = hosting;
  const page = { ownerId: workspaces[0].id, limit: 100 };
  const services = await provider.services.list(page);
  return [
    services,
    await provider.postgres.list(page),
    await provider.keyValue.list(page),
    ...(await Promise.all(
      services.items.map(({ item }) => provider.deploys.list({ serviceId: item.id, limit: 100 })),
    )),
  ];
}

async function refusal(tool: string, args: object): Promise<string> {
  const before = await held();
  const answer = await hosting.call(tool, args);
  expect(answer.value).toMatchObject({ error: 'INPUT_INVALID', retry: 'after_fix' });
  expect(await held()).toEqual(before);
  return answer.text;
}

const WRONG_OF_TYPE: Readonly<Record<string, readonly unknown[]>> = {
  string: [7, null, true, ['a'], { a: 1 }],
  boolean: ['yes', 0, null],
  number: ['twenty', null, true, [1]],
  array: [true, null, { a: 1 }, 7],
};

/** `null` means that an optional parameter is absent. */
function wrongValues(type: string, isRequired = false): readonly unknown[] {
  const values = WRONG_OF_TYPE[type] ?? [];
  return isRequired ? values : values.filter((value) => value !== null);
}

describe('every parameter of every tool', () => {
  test.each(TOOL_NAMES.hosting)('%s names each value of a wrong type', async (name) => {
    const schema = hosting.service.tools.find((tool) => tool.name === name)?.inputSchema as {
      properties: Record<string, { type: string; enum?: readonly string[] }>;
      required?: readonly string[];
    };
    for (const [parameter, { type, enum: allowed }] of Object.entries(schema.properties)) {
      for (const wrong of wrongValues(type, schema.required?.includes(parameter))) {
        const base = right[name] ?? {};
        const before = await held();
        const { value, text } = await hosting.raw(name, { ...base, [parameter]: wrong });
        expect([name, parameter, wrong, value.error]).toEqual([
          ...[name, parameter, wrong, 'INPUT_INVALID'],
        ]);
        const shown = parameter === 'envVars' ? '(hidden' : JSON.stringify(wrong);
        expect(text).toContain(`${parameter}: received ${shown}`);
        expect(text).toContain(`allowed: ${allowed?.join(' | ') ?? type}`);
        expect(await held()).toEqual(before);
      }
    }
  });

  test.each(TOOL_NAMES.hosting)('%s refuses a parameter that it has not', async (name) => {
    const { value, text } = await hosting.raw(name, { ...(right[name] ?? {}), serviceID: 'x' });
    expect(value.error).toBe('INPUT_INVALID');
    expect(text).toMatch(/serviceID: received .*allowed: no parameter of this name/);
  });

  test('what is required and missing is named, one by one', async () => {
    for (const { name, inputSchema } of hosting.service.tools) {
      const { required = [] } = inputSchema as { required?: readonly string[] };
      for (const parameter of required) {
        const { [parameter]: _left, ...rest } = right[name] ?? {};
        expect(await refusal(name, rest)).toContain(`${parameter}: received nothing`);
      }
    }
  });
});

const at = (ms: number): string => new Date(BEGIN_MS + ms).toISOString();
const DAY = 86_400_000;

const OUT_OF_BOUNDS: readonly (readonly [tool: string, args: object, said: string])[] = [
  ['create_web_service', { name: '' }, 'name: received "", allowed: a name; it cannot be empty'],
  ['create_web_service', { name: 'a\nb' }, 'without control characters'],
  ['create_web_service', { name: 'x'.repeat(101) }, 'allowed: at most 100'],
  ['create_web_service', { runtime: 'php' }, 'runtime: received "php", allowed: node | python'],
  ['create_web_service', { plan: 'free' }, 'plan: received "free", allowed: starter | standard'],
  ['create_web_service', { region: 'mars' }, 'region: received "mars", allowed: oregon'],
  [
    'create_web_service',
    { autoDeploy: 'maybe' },
    'autoDeploy: received "maybe", allowed: yes | no',
  ],
  ['create_web_service', { buildCommand: ' ' }, 'buildCommand: received " ", allowed: a command'],
  ['create_web_service', { startCommand: 'a\0' }, 'without NUL characters'],
  ['create_web_service', { startCommand: LONG }, 'startCommand: received'],
  ['create_web_service', { dockerfilePath: './D' }, 'nothing unless runtime is docker'],
  ['create_web_service', { dockerContext: 'a' }, 'nothing unless runtime is docker'],
  ['create_web_service', { dockerCommand: 'run' }, 'nothing unless runtime is docker'],
  [
    'create_web_service',
    { runtime: 'docker' },
    'buildCommand: received "npm ci", allowed: nothing',
  ],
  ['create_web_service', { repo: '--upload-pack=x' }, 'repo: received'],
  ['create_web_service', { repo: 'ext::sh -c x' }, 'the address of a Git repository'],
  ['create_web_service', { repo: 'https://me:pw@h/r' }, 'without a user or a password'],
  ['create_web_service', { branch: '-x' }, 'the name of a branch'],
  ['create_web_service', { branch: 'a..b' }, 'the name of a branch'],
  [
    'create_web_service',
    { envVars: [{ key: '1A', value: '' }] },
    'envVars.0.key: received (hidden',
  ],
  ['create_web_service', { envVars: [{ key: 'A' }] }, 'envVars.0.value: received nothing'],
  ['create_static_site', { buildCommand: '' }, 'a command; it cannot be empty'],
  ['create_static_site', { publishPath: '/etc' }, 'inside the repository: relative, without ..'],
  ['create_static_site', { publishPath: 'a/../..' }, 'relative, without ..'],
  ['create_cron_job', { schedule: '* * * *' }, 'five fields'],
  ['create_cron_job', { schedule: '60 * * * *' }, 'minute is "60"; it must be'],
  ['create_cron_job', { schedule: '* 24 * * *' }, 'hour is "24"'],
  ['create_cron_job', { schedule: '* * 0 * *' }, 'day of month is "0"'],
  ['create_cron_job', { schedule: '* * * 13 *' }, 'month is "13"'],
  ['create_cron_job', { schedule: '* * * * 7' }, 'day of week is "7"'],
  ['create_cron_job', { schedule: '@daily' }, 'five fields'],
  ['create_cron_job', { schedule: '0 0 31 2 *' }, 'days that exist'],
  ['list_services', { limit: 0 }, 'limit: received 0, allowed: at least 1'],
  ['list_services', { limit: 101 }, 'allowed: at most 100'],
  ['list_deploys', { cursor: 'none' }, 'cursor: received "none"'],
  ['list_events', { limit: 0 }, 'limit: received 0, allowed: at least 1'],
  ['list_events', { limit: 101 }, 'limit: received 101, allowed: at most 100'],
  ['list_events', { limit: 2.5 }, 'limit: received 2.5'],
  ['list_events', { eventTypes: ['server_failed', 'boom'] }, 'eventTypes.1: received "boom"'],
  ['list_events', { startTime: 'yesterday' }, 'startTime: received "yesterday", allowed: an RFC'],
  ['list_events', { endTime: '2026-02-30T00:00:00Z' }, 'an RFC 3339 time'],
  ['list_events', { startTime: at(0), endTime: at(-1) }, 'a time before endTime'],
  ['list_logs', { resource: [] }, 'resource: received [], allowed: at least 1'],
  ['list_logs', { resource: [''] }, 'resource.0: received ""'],
  ['list_logs', { limit: 101 }, 'limit: received 101, allowed: at most 100'],
  ['list_logs', { level: ['warn'] }, 'level.0: received "warn", allowed: debug | info | warning'],
  ['list_logs', { type: ['system'] }, 'type.0: received "system", allowed: app | request | build'],
  ['list_logs', { direction: 'up' }, 'direction: received "up", allowed: backward | forward'],
  ['list_logs', { text: ['/(/'] }, '/(/'],
  ['list_logs', { startTime: at(-31 * DAY) }, 'logs go 30 days back'],
  ['list_logs', { startTime: at(0), endTime: at(0) }, 'a time before endTime'],
  ['list_log_label_values', { label: 'path' }, 'label: received "path", allowed: host | instance'],
  ['list_log_label_values', { limit: 5 }, 'limit: received 5, allowed: no parameter'],
  ['get_metrics', { metricTypes: [] }, 'metricTypes: received [], allowed: at least 1'],
  ['get_metrics', { metricTypes: ['cpu'] }, 'metricTypes.0: received "cpu", allowed: cpu_usage'],
  ['get_metrics', { resolution: 29 }, 'resolution: received 29, allowed: at least 30'],
  ['get_metrics', { httpLatencyQuantile: 1.1 }, 'httpLatencyQuantile: received 1.1'],
  ['get_metrics', { httpLatencyQuantile: -0.1 }, 'allowed: at least 0'],
  ['get_metrics', { cpuUsageAggregationMethod: 'SUM' }, 'allowed: AVG | MAX | MIN'],
  ['get_metrics', { aggregateHttpRequestCountsBy: 'path' }, 'allowed: host | statusCode'],
  ['get_metrics', { startTime: at(-31 * DAY) }, 'within the last 30 days'],
  ['get_metrics', { endTime: at(-31 * DAY) }, 'endTime: received'],
  ['get_metrics', { endTime: at(DAY) }, 'within the last 30 days'],
  ['get_metrics', { startTime: at(-1), endTime: at(-DAY) }, 'a time before endTime'],
  ['create_postgres', { plan: 'huge' }, 'plan: received "huge", allowed: free | basic_256mb'],
  ['create_postgres', { version: 12 }, 'version: received 12, allowed: at least 13'],
  ['create_postgres', { version: 15.5 }, 'version: received 15.5'],
  ['create_postgres', { diskSizeGb: 7, plan: 'pro_4gb' }, 'allowed: 1 or a multiple of 5'],
  ['create_postgres', { diskSizeGb: 10 }, 'nothing with plan free'],
  ['create_key_value', { plan: 'pro_max' }, 'allowed: free | starter | standard | pro | pro_plus'],
  ['create_key_value', { maxmemoryPolicy: 'lru' }, 'allowed: noeviction | allkeys_lfu'],
  ['create_key_value', { persistenceMode: 'aof' }, 'allowed: journal_snapshot | snapshot | off'],
  ['query_hosted_postgres', { sql: '' }, 'sql: received "", allowed: one SQL statement'],
  ['query_hosted_postgres', { sql: 'delete from t' }, 'begins with SELECT, WITH'],
  ['query_hosted_postgres', { sql: '/* select */ drop table t' }, 'begins with SELECT'],
  ['query_hosted_postgres', { sql: '-- select\nset role x' }, 'begins with SELECT'],
  ['query_hosted_postgres', { sql: "copy t to program 'id'" }, 'begins with SELECT'],
  ['query_hosted_postgres', { sql: '/* /* */ select 1' }, 'cannot be empty'],
];

test.each(OUT_OF_BOUNDS)('a value out of bounds is named: %s %j', async (tool, args, said) => {
  expect(await refusal(tool, { ...right[tool], ...args })).toContain(said);
});

test('more steps than an answer holds are refused with what fits', async () => {
  const args = { ...right['get_metrics'], startTime: at(-30 * DAY + 300_000), resolution: 30 };
  expect(await refusal('get_metrics', args)).toContain(
    'resolution: received 30, allowed: at least',
  );
});

test('30 days of one metric in the default steps fit', async () => {
  const args = { ...right['get_metrics'], startTime: at(-30 * DAY + 300_000) };
  const { value } = await hosting.call('get_metrics', args);
  expect(value.metrics[0].data[0].values.length).toBeGreaterThan(43_000);
});

test('a prebuilt image is refused as unsupported, with what to do instead', async () => {
  proves('H1.i6', 'H7.t3');
  for (const name of ['image', 'imagePath', 'imageUrl', 'registryCredential']) {
    for (const tool of ['create_web_service', 'create_static_site', 'create_cron_job']) {
      const text = await refusal(tool, { ...right[tool], [name]: 'nginx:1' });
      expect(text).toContain(`${name}: received "nginx:1"`);
      expect(text).toContain('prebuilt images from a registry are unsupported');
    }
  }
});

test('a folder to build in is refused with what to do instead', async () => {
  for (const tool of ['create_web_service', 'create_static_site', 'create_cron_job']) {
    const text = await refusal(tool, { ...right[tool], rootDir: 'apps/web' });
    expect(text).toContain('rootDir: received "apps/web"');
    expect(text).toContain('start each command with "cd <folder> && "');
  }
});

test('the value of a variable is repeated by no error', async () => {
  for (const envVars of [
    `TOKEN=${SECRET}`,
    { TOKEN: SECRET },
    [{ key: SECRET, value: 1 }],
    [{ key: 'A', value: `${SECRET}\0` }],
    [
      { key: 'A', value: SECRET },
      { key: 'A', value: SECRET },
    ],
    [{ key: `A=${SECRET}`, value: '' }],
    [{ key: 'A', value: SECRET + LONG }],
    [{ name: 'A', value: SECRET }],
    [`A=${SECRET}`],
  ]) {
    const args = { ...right['create_web_service'], envVars };
    expect(await refusal('create_web_service', args)).not.toContain(SECRET);
  }
  const env = { ...right['create_web_service'], env: { TOKEN: SECRET } };
  expect(await refusal('create_web_service', env)).not.toContain(SECRET);
});

test('the same key twice, and too much in all, is refused', async () => {
  const twice = [
    { key: 'A', value: '1' },
    { key: 'A', value: '2' },
  ];
  const args = right['update_environment_variables'];
  expect(await refusal('update_environment_variables', { ...args, envVars: twice })).toContain(
    'envVars.1.key',
  );
  const much = Array.from({ length: 20 }, (_, index) => ({
    key: `A${index}`,
    value: 'x'.repeat(30_000),
  }));
  expect(await refusal('update_environment_variables', { ...args, envVars: much })).toContain(
    '262144 characters in all',
  );
});
