// Sixty-four tools that every server of the front bench offers: neutral of any SDK, with schemas
// of the size that the two real catalogs have.

const RUNTIMES = ['node', 'python', 'go', 'rust', 'ruby', 'elixir', 'docker'];
const PLANS = ['starter', 'standard', 'pro', 'pro_max', 'pro_plus', 'pro_ultra'];
const REGIONS = ['oregon', 'frankfurt', 'singapore', 'ohio', 'virginia'];
const DATABASE_SIZES = [1, 4, 8, 16, 32, 64, 128, 192, 256, 384, 512];
const DATABASE_PLANS = [
  'free',
  'basic_256mb',
  ...DATABASE_SIZES.map((size) => `pro_${size}gb`),
  ...DATABASE_SIZES.slice(3, 9).map((size) => `accelerated_${size}gb`),
];
const EVICTIONS = ['noeviction', 'allkeys_lru', 'allkeys_lfu', 'volatile_lru', 'volatile_ttl'];

// A field is [type, required, description, allowed values].
const required = (type, description, values) => [type, true, description, values];
const optional = (type, description, values) => [type, false, description, values];

const workspace = {
  workspaceId: optional(
    'string',
    'Workspace to act in: the id that the user confirmed. Falls back to the one of the session.',
  ),
};
const service = { serviceId: required('string', 'Id of the service to act on.'), ...workspace };
const variables = optional('env[]', 'Environment variables to set.');
const creation = {
  name: required('string', 'A name that no other service of the workspace has.'),
  runtime: required('string', 'What the service runs on.', RUNTIMES),
  buildCommand: optional('string', 'Command that builds the service; not with docker.'),
  startCommand: optional('string', 'Command that starts the service; not with docker.'),
  dockerfilePath: optional('string', 'Path of the Dockerfile, by default ./Dockerfile.'),
  dockerContext: optional('string', 'Context of the docker build, by default the root.'),
  repo: optional('string', 'Repository to deploy from.'),
  branch: optional('string', 'Branch to deploy from.'),
  plan: optional('string', 'Size of the instances.', PLANS),
  autoDeploy: optional('string', 'Deploy on every push, by default yes.', ['yes', 'no']),
  region: optional('string', 'Where it runs, by default oregon.', REGIONS),
  envVars: variables,
  ...workspace,
};
const logFilters = {
  resource: required('string[]', 'Ids of the resources whose logs are read.'),
  level: optional('string[]', 'Only these levels.'),
  type: optional('string[]', 'Only these kinds of log.'),
  instance: optional('string[]', 'Only these instances.'),
  host: optional('string[]', 'Only requests to these hosts.'),
  statusCode: optional('string[]', 'Only requests with these status codes.'),
  method: optional('string[]', 'Only requests with these methods.'),
  path: optional('string[]', 'Only requests to these paths.'),
  text: optional('string[]', 'Only lines with one of these texts.'),
  startTime: optional('string', 'Begin of the window, RFC 3339.'),
  endTime: optional('string', 'End of the window, RFC 3339.'),
  direction: optional('string', 'Oldest or newest first.'),
  limit: optional('number', 'Most entries to return.'),
  ...workspace,
};
const database = { databaseId: required('string', 'Id of the database.'), ...workspace };
const databaseCreation = {
  name: required('string', 'Name of the database.'),
  plan: required('string', 'Size of the database.', DATABASE_PLANS),
  region: creation.region,
  version: optional('number', 'Major version.'),
  diskSizeGb: optional('number', 'Size of the disk.'),
  ...workspace,
};
const cacheCreation = {
  name: required('string', 'Name of the instance.'),
  plan: required('string', 'Size of the instance.', PLANS),
  maxmemoryPolicy: optional('string', 'What goes first when memory ends.', EVICTIONS),
  ...workspace,
};

const HOSTING = {
  list_workspaces: {},
  select_workspace: { workspaceId: required('string', 'The workspace to select.') },
  get_selected_workspace: {},
  list_services: { includePreviews: optional('boolean', 'With previews.'), ...workspace },
  get_service: service,
  create_web_service: creation,
  create_static_site: creation,
  create_cron_job: { ...creation, schedule: required('string', 'Cron expression, five fields.') },
  update_environment_variables: { ...service, envVars: variables },
  update_web_service: service,
  update_static_site: service,
  update_cron_job: service,
  list_deploys: service,
  get_deploy: { ...service, deployId: required('string', 'Id of the deploy.') },
  trigger_deploy: { ...service, clearCache: optional('boolean', 'Build from nothing.') },
  list_events: { ...service, limit: optional('number', 'At most this many, 1 to 100.') },
  list_logs: logFilters,
  list_log_labels: {
    label: required('string', 'The label whose values are listed.'),
    ...logFilters,
  },
  get_metrics: { ...service, metricTypes: required('string[]', 'Which metrics to read.') },
  query_database: { ...database, sql: required('string', 'A statement that only reads.') },
  list_databases: workspace,
  get_database: database,
  create_database: databaseCreation,
  list_caches: workspace,
  get_cache: database,
  create_cache: cacheCreation,
};
const COMMERCE = {
  subject: required('string', 'Name or on-chain id of the agent in question.'),
  scope: optional('string', 'What the caller is about to grant or to buy.'),
  amountUsd: optional('number', 'What is at stake, in US dollars.'),
  evidence: optional('string[]', 'References to evidence, one per item.'),
  idempotencyKey: optional('string', 'Makes a paid call safe to repeat.'),
};
const COMMERCE_COUNT = 36;
const HOSTING_NOTE =
  'Confirm the workspace with the user first; answers records as text and as structured content.';
const COMMERCE_NOTE =
  'An unpaid call answers with a challenge that names price, payee, chain and fee; the result ' +
  'comes after settlement.';

/** The tools: `echo`, `progress20`, 26 of hosting shape, 36 of commerce shape. */
export const TOOLS = [
  {
    name: 'echo',
    description: 'Returns its input.',
    fields: {
      message: required('string', 'Text to return.'),
      n: optional('number', 'A number to return.'),
    },
  },
  {
    name: 'progress20',
    description: 'Reports progress, then returns.',
    fields: { count: optional('number', 'How many reports, by default 20.') },
  },
  ...Object.entries(HOSTING).map(([name, fields]) => ({
    name,
    description: `Hosting: ${name.replaceAll('_', ' ')}. ${HOSTING_NOTE}`,
    fields,
  })),
  ...Array.from({ length: COMMERCE_COUNT }, (_, at) => ({
    name: `commerce_check-${at + 1}`,
    description: `Commerce: check number ${at + 1}. ${COMMERCE_NOTE}`,
    fields: COMMERCE,
  })),
];

/** The hints that every tool lists. */
export const ANNOTATIONS = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

/** What a call answers: one short text, the same as structured content. */
export function resultOf(name, input) {
  const answer = answerOf(name, input);
  return { content: [{ type: 'text', text: answer }], structuredContent: { answer } };
}

/** The shape of the structured content, as an object of the given zod. */
export function zodOutput(z) {
  return z.object({ answer: z.string().describe('What the tool found out.') });
}

/** The fields of a tool as a zod object of the given zod. */
export function zodInput(z, fields) {
  const pair = z.object({ key: z.string(), value: z.string() });
  const simple = {
    string: () => z.string(),
    number: () => z.number(),
    boolean: () => z.boolean(),
    'string[]': () => z.array(z.string()),
    'env[]': () => z.array(pair),
  };
  const shape = {};
  for (const [key, [type, isRequired, description, values]] of Object.entries(fields)) {
    const schema = (values ? z.enum(values) : simple[type]()).describe(description);
    shape[key] = isRequired ? schema : schema.optional();
  }
  return z.object(shape);
}

function answerOf(name, input) {
  if (name === 'echo') return input.message;
  return name === 'progress20' ? 'done' : JSON.stringify(input);
}
