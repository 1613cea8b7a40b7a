import { describe, expect, test } from 'vitest';
import { calledHosting } from '../../support/called-hosting.ts';
import { proves } from '../../support/proves.ts';
import { SPECIFIED_TOOLS, TOOL_NAMES } from '../../tidy/tool-names.ts';

// Typed from the hosting specification: `type[!]`, then the default, then the allowed values.
type Parameter = readonly [type: string, fallback?: unknown, allowed?: readonly string[]];
type Parameters = Readonly<Record<string, Parameter>>;

const RUNTIMES = ['node', 'python', 'go', 'rust', 'ruby', 'elixir', 'docker'];
const SERVICE_PLANS = ['starter', 'standard', 'pro', 'pro_max', 'pro_plus', 'pro_ultra'];
const REGIONS = ['oregon', 'frankfurt', 'singapore', 'ohio', 'virginia'];
const POSTGRES_PLANS =
  'free basic_256mb basic_1gb basic_4gb pro_4gb pro_8gb pro_16gb pro_32gb pro_64gb pro_128gb ' +
  'pro_192gb pro_256gb pro_384gb pro_512gb accelerated_16gb accelerated_32gb accelerated_64gb ' +
  'accelerated_128gb accelerated_256gb accelerated_384gb accelerated_512gb accelerated_768gb ' +
  'accelerated_1024gb';
const KEY_VALUE_PLANS = ['free', 'starter', 'standard', 'pro', 'pro_plus'];
const POLICIES =
  'noeviction allkeys_lfu allkeys_lru allkeys_random volatile_lfu volatile_lru volatile_random ' +
  'volatile_ttl';
const METRICS =
  'cpu_usage cpu_limit cpu_target memory_usage memory_limit memory_target instance_count ' +
  'http_request_count http_latency bandwidth_usage active_connections';
const LOG_FILTERS: Parameters = {
  resource: ['array!'],
  level: ['array', undefined, ['debug', 'info', 'warning', 'error', 'critical']],
  type: ['array', undefined, ['app', 'request', 'build']],
  instance: ['array'],
  host: ['array'],
  statusCode: ['array'],
  method: ['array'],
  path: ['array'],
  text: ['array'],
  startTime: ['string'],
  endTime: ['string'],
  direction: ['string', 'backward', ['backward', 'forward']],
};
const SOURCE: Parameters = {
  name: ['string!'],
  repo: ['string'],
  branch: ['string'],
  autoDeploy: ['string', 'yes', ['yes', 'no']],
  envVars: ['array', []],
};
const PROGRAM: Parameters = {
  runtime: ['string!', undefined, RUNTIMES],
  buildCommand: ['string'],
  startCommand: ['string'],
  dockerfilePath: ['string', './Dockerfile'],
  dockerContext: ['string', '.'],
  dockerCommand: ['string'],
  plan: ['string', 'starter', SERVICE_PLANS],
  region: ['string', 'oregon', REGIONS],
};
// More than the specification asks for: lists can be read in pages.
const PAGE: Parameters = { limit: ['number', 100], cursor: ['string'] };

const TOOLS: Readonly<Record<string, Parameters>> = {
  list_workspaces: {},
  select_workspace: { ownerID: ['string!'] },
  get_selected_workspace: {},
  list_services: { includePreviews: ['boolean', false], ...PAGE },
  get_service: { serviceId: ['string!'] },
  create_web_service: { ...SOURCE, ...PROGRAM },
  create_static_site: { ...SOURCE, buildCommand: ['string!'], publishPath: ['string', 'public'] },
  create_cron_job: { ...SOURCE, ...PROGRAM, schedule: ['string!'] },
  update_environment_variables: {
    serviceId: ['string!'],
    envVars: ['array!'],
    merge: ['boolean', false],
    dryRun: ['boolean', false],
  },
  update_web_service: { serviceId: ['string!'] },
  update_static_site: { serviceId: ['string!'] },
  update_cron_job: { serviceId: ['string!'] },
  list_deploys: { serviceId: ['string!'], ...PAGE },
  get_deploy: { serviceId: ['string!'], deployId: ['string!'] },
  trigger_deploy: { serviceId: ['string!'], clearCache: ['boolean', false] },
  list_events: {
    serviceId: ['string!'],
    eventTypes: ['array'],
    startTime: ['string'],
    endTime: ['string'],
    limit: ['number', 20],
    cursor: ['string'],
  },
  list_logs: { ...LOG_FILTERS, limit: ['number', 20] },
  list_log_label_values: {
    ...LOG_FILTERS,
    label: ['string!', undefined, ['host', 'instance', 'level', 'method', 'statusCode', 'type']],
  },
  get_metrics: {
    resourceId: ['string!'],
    metricTypes: ['array!', undefined, METRICS.split(' ')],
    startTime: ['string'],
    endTime: ['string'],
    resolution: ['number', 60],
    cpuUsageAggregationMethod: ['string', 'AVG', ['AVG', 'MAX', 'MIN']],
    aggregateHttpRequestCountsBy: ['string', undefined, ['host', 'statusCode']],
    httpLatencyQuantile: ['number', 0.95],
    httpHost: ['string'],
    httpPath: ['string'],
  },
  query_hosted_postgres: { postgresId: ['string!'], sql: ['string!'] },
  list_postgres_instances: PAGE,
  get_postgres: { postgresId: ['string!'] },
  create_postgres: {
    name: ['string!'],
    plan: ['string!', undefined, POSTGRES_PLANS.split(' ')],
    region: ['string', 'oregon', REGIONS],
    version: ['number'],
    diskSizeGb: ['number'],
  },
  list_key_value: PAGE,
  get_key_value: { keyValueId: ['string!'] },
  create_key_value: {
    name: ['string!'],
    plan: ['string!', undefined, KEY_VALUE_PLANS],
    region: ['string', 'oregon', REGIONS],
    maxmemoryPolicy: ['string', 'allkeys_lru', POLICIES.split(' ')],
    persistenceMode: ['string', undefined, ['journal_snapshot', 'snapshot', 'off']],
  },
};
const NO_WORKSPACE = ['list_workspaces', 'select_workspace', 'get_selected_workspace'];

interface Schema {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly default?: unknown;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: unknown;
}

const { service } = calledHosting();
const inputOf = (name: string): Schema => (service.describe(name)?.inputSchema ?? {}) as Schema;
const listedOf = (name: string): Schema =>
  (service.tools.find((tool) => tool.name === name)?.inputSchema ?? {}) as Schema;
const parameter = (tool: string, name: string): Schema => inputOf(tool).properties?.[name] ?? {};

test('the server lists the 26 tools of the specification, in its order', () => {
  proves('H4.s1');
  expect(service.tools.map(({ name }) => name)).toEqual(TOOL_NAMES.hosting);
  expect(Object.keys(TOOLS)).toEqual(SPECIFIED_TOOLS.hosting);
});

test.each(Object.entries(TOOLS))('%s takes exactly its parameters', (name, parameters) => {
  const wanted = {
    ...parameters,
    ...(NO_WORKSPACE.includes(name) ? {} : { workspaceId: ['string'] }),
  };
  const input = inputOf(name);
  expect(input.additionalProperties).toBe(false);
  expect(Object.keys(input.properties ?? {}).sort()).toEqual(Object.keys(wanted).sort());
  const required = Object.entries(parameters).filter(([, [type]]) => type.endsWith('!'));
  expect([...(input.required ?? [])].sort()).toEqual(required.map(([one]) => one).sort());
  for (const [one, [type, fallback, allowed]] of Object.entries(parameters)) {
    const schema = input.properties?.[one] ?? {};
    expect([one, schema.type]).toEqual([one, type.replace('!', '')]);
    expect([one, schema.default]).toEqual([one, fallback]);
    const values = schema.enum ?? schema.items?.enum;
    const listed = listedOf(name).properties?.[one] ?? {};
    expect([one, listed.type, listed.default]).toEqual([one, schema.type, fallback]);
    expect([one, listed.enum ?? listed.items?.enum]).toEqual([one, values]);
    if (one !== 'eventTypes') {
      expect([one, [...(values ?? [])].sort()]).toEqual([one, [...(allowed ?? [])].sort()]);
    }
  }
});

test('the value sets are those of the specification', () => {
  proves('H2.t9', 'H2.t10', 'H2.t11', 'H2.t12', 'H2.t13', 'H2.t14', 'H2.t15', 'H2.t16');
  expect(parameter('create_web_service', 'runtime').enum).toHaveLength(7);
  expect(parameter('create_web_service', 'plan').enum).toHaveLength(6);
  expect(parameter('create_web_service', 'region').enum).toHaveLength(5);
  expect(parameter('create_web_service', 'autoDeploy').enum).toEqual(['yes', 'no']);
  expect(parameter('create_postgres', 'plan').enum).toEqual(POSTGRES_PLANS.split(' '));
  expect(parameter('create_key_value', 'plan').enum).toEqual(KEY_VALUE_PLANS);
  expect(parameter('create_key_value', 'maxmemoryPolicy').enum).toEqual(POLICIES.split(' '));
  expect(parameter('create_key_value', 'persistenceMode').enum).toHaveLength(3);
});

test('the groups of event types are those of the specification', () => {
  proves('H6.t1', 'H6.t2', 'H6.t3', 'H6.t4', 'H6.t5', 'H6.t6', 'H4.events.t1.c2');
  const groups = {
    build:
      'build_started build_ended deploy_started deploy_ended pre_deploy_started pre_deploy_ended ' +
      'initial_deploy_hook_started initial_deploy_hook_ended zero_downtime_redeploy_started ' +
      'zero_downtime_redeploy_ended commit_ignored branch_deleted image_pull_failed ' +
      'artifact_fetch_failed artifact_source_changed auto_deploy_enabled auto_deploy_disabled ' +
      'pipeline_minutes_exhausted',
    health: 'server_available server_failed server_hardware_failure server_restarted',
    scaling:
      'autoscaling_started autoscaling_ended autoscaling_config_changed instance_count_changed ' +
      'plan_changed',
    disk: 'disk_created disk_updated disk_deleted service_disk_usage_high service_disk_usage_recovered',
    lifecycle:
      'service_suspended service_resumed suspender_added suspender_removed maintenance_started ' +
      'maintenance_ended maintenance_mode_enabled maintenance_mode_uri_updated',
    runs: 'cron_job_run_started cron_job_run_ended job_run_ended',
  };
  const sizes = Object.values(groups).map((types) => types.split(' ').length);
  expect(sizes).toEqual([18, 4, 5, 5, 8, 3]);
  const types = parameter('list_events', 'eventTypes').items?.enum;
  const specified = Object.values(groups).join(' ').split(' ');
  expect(types?.filter((type) => specified.includes(type))).toEqual(specified);
});

test('every parameter is a string, a boolean, a number or an array, by name', () => {
  proves('H4.s3', 'H4.s4');
  for (const { name } of service.tools) {
    expect(inputOf(name).type).toBe('object');
    for (const schema of Object.values(inputOf(name).properties ?? {})) {
      expect(['string', 'boolean', 'number', 'array']).toContain(schema.type);
    }
  }
});

test('an item of envVars has a key and a value, and nothing else', () => {
  proves('H4.services.s1');
  const item = parameter('create_web_service', 'envVars').items;
  expect(item).toMatchObject({
    required: ['key'],
    properties: { key: { type: 'string' }, value: { type: 'string' } },
    additionalProperties: false,
  });
  // A database may stand for the value; the kinds of hosting refuse both and neither.
  const names = Object.keys((item as { properties?: object } | undefined)?.properties ?? {});
  expect(names.sort()).toEqual(['fromDatabase', 'key', 'value']);
});

describe('what stands beside the parameters', () => {
  const WRITES = {
    select_workspace: [false, false, true, false],
    create_web_service: [false, false, false, true],
    create_static_site: [false, false, false, true],
    create_cron_job: [false, false, false, true],
    create_postgres: [false, false, false, true],
    create_key_value: [false, false, false, true],
    update_environment_variables: [false, true, false, true],
    trigger_deploy: [false, true, false, true],
  } as const;

  test.each(SPECIFIED_TOOLS.hosting)('%s has its hints, a title and an answer', (name) => {
    const tool = service.tools.find((one) => one.name === name);
    const [readOnlyHint, destructiveHint, idempotentHint, openWorldHint] =
      WRITES[name as keyof typeof WRITES] ?? ([true, false, true, false] as const);
    expect(tool?.annotations).toEqual({
      readOnlyHint,
      destructiveHint,
      idempotentHint,
      openWorldHint,
    });
    expect(tool?.title.length).toBeGreaterThan(5);
    expect(tool?.outputSchema).toMatchObject({ type: 'object' });
    expect(service.describe(name)?.outputSchema['anyOf']).toEqual(expect.any(Array));
    expect(tool?._meta?.['price']).toBeUndefined();
  });

  test('selecting is marked as deprecated', () => {
    const tool = service.tools.find(({ name }) => name === 'select_workspace');
    expect(tool?.title).toContain('deprecated');
    expect(tool?.description).toMatch(/^Deprecated/);
  });
});
