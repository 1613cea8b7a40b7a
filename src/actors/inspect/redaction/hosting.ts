import type { Redaction } from './redaction.ts';

const below = (parent: string, paths: readonly string[]) =>
  paths.map((path) => `${parent}.${path}`);

const REASON = ['earlyExit', 'nonZeroExit', 'oomKilled.memoryLimitMib', 'timedOut.seconds'];
/** Texts from programs and from the host. */
const REASON_TEXTS = ['unhealthy', 'timedOut.what', 'evicted', 'missing'];
const COMMIT = ['id', 'createdAt'];
const SERVICE = [
  ...['id', 'type', 'name', 'slug', 'ownerId', 'branch', 'autoDeploy', 'suspended'],
  ...['suspenders.*', 'dashboardUrl', 'createdAt', 'updatedAt'],
  ...below('serviceDetails', [
    ...['runtime', 'plan', 'region', 'numInstances', 'url', 'maxShutdownDelaySeconds'],
    ...['schedule', 'nextRunAt', 'lastSuccessfulRunAt', 'healthCheckPath', 'publishPath'],
  ]),
];
/** Repository URLs and commands may contain secrets of their owner. */
const SERVICE_HIDDEN = [
  ...['repo', 'pushUrl'],
  ...below('serviceDetails', [
    ...['buildCommand', 'startCommand', 'preDeployCommand'],
    ...['dockerfilePath', 'dockerContext', 'dockerCommand'],
  ]),
];
const SOURCE = ['kind', 'commitId', 'releaseId', ...below('commit', COMMIT)];
const ASK = ['deployId', 'trigger', 'clearCache', ...below('source', SOURCE)];
const LIVE = ['deployId', 'releaseId', ...below('commit', COMMIT)];
const WORK_END = ['ok', 'at', ...below('commit', COMMIT), ...below('reason', REASON)];

/** Shows the state of a service. Hides its environment variables, repository, and commands. */
export const serviceRedaction: Redaction = {
  kind: 'service',
  context: [
    ...below('service', SERVICE),
    ...below('first', ASK),
    ...below('waiting', ASK),
    ...below('currentAsk', ASK),
    ...below('live', LIVE),
    ...['current', 'isYielding', 'isServing', 'seenCommit', 'isDiskHigh', 'at'],
  ],
  hidden: [
    ...below('service', SERVICE_HIDDEN),
    ...['sealedEnv', 'orderHash', 'live.commit.message'],
    ...['first', 'waiting', 'currentAsk'].map((ask) => `${ask}.source.commit.message`),
  ],
  events: {
    'DEPLOY.ASKED': ['at', ...ASK],
    'DEPLOY.CANCELED': ['at', 'deployId'],
    'DEPLOY.LIVE': ['at', ...LIVE],
    'DEPLOY.ENDED': ['at', 'deployId', ...below('commit', COMMIT)],
    'SERVICE.CHANGED': ['at', ...below('service', SERVICE), ...below('ask', ASK)],
    'ENV.REPLACED': ['at', ...below('ask', ASK)],
    'BRANCH.MOVED': ['at', 'commitId', 'isSkipped', 'deployId'],
    'RUN.SUCCEEDED': ['at'],
    RESUME: ['at', 'deployId'],
    'INSTANCE.STUCK': ['at', 'instanceId', 'deployId'],
    '*': ['at'],
  },
};

/**
 * Shows the progress of a deploy and the kind of its failure. Program output is only in the logs.
 */
export const deployRedaction: Redaction = {
  kind: 'deploy',
  context: [
    ...below('input', ['deployId', 'trigger', 'clearCache', 'mustWait', 'at']),
    ...below('input.service', SERVICE),
    ...below('input.source', SOURCE),
    ...below('source', SOURCE),
    ...below('commit', COMMIT),
    ...below('reason', REASON),
    ...['startedAt', 'finishedAt', 'round', 'former.*'],
    ...below('instances.*', ['instanceId', 'isHealthy']),
  ],
  hidden: [
    ...below('input.service', SERVICE_HIDDEN),
    ...below('reason', REASON_TEXTS),
    ...['input.sealedEnv', 'commit.message'],
    ...['source.commit.message', 'input.source.commit.message'],
  ],
  events: {
    'TURN.COME': ['at', ...below('source', SOURCE)],
    CANCEL: ['at', 'by'],
    'INSTANCE.HEALTHY': ['at', 'instanceId'],
    'INSTANCE.FAILED': ['at', 'instanceId', ...below('reason', REASON)],
    'xstate.done.actor.*': ['actorId', ...below('output', WORK_END)],
    'xstate.error.actor.*': ['actorId', 'error.name', 'error.code'],
    '*': ['at'],
  },
};

/** Shows the state of an instance and the kind of each exit. */
export const instanceRedaction: Redaction = {
  kind: 'instance',
  context: [
    ...below('input', ['instanceId', 'deployId', 'releaseId', ...below('commit', COMMIT)]),
    ...below('input.service', SERVICE),
    ...below('reason', REASON),
    ...['start', 'wasHealthy', 'healthyAt', 'crashes', 'endedAt'],
  ],
  hidden: [
    ...below('input.service', SERVICE_HIDDEN),
    ...below('reason', REASON_TEXTS),
    ...['input.sealedEnv', 'input.commit.message'],
  ],
  events: {
    DRAIN: [],
    'xstate.done.actor.*': [
      ...['actorId', 'output.ok', 'output.at', 'output.isHostRestart'],
      ...below('output.reason', REASON),
    ],
    'xstate.error.actor.*': ['actorId', 'error.name', 'error.code'],
  },
};

const DATABASE = [
  ...['id', 'name', 'ownerId', 'plan', 'region', 'version', 'role', 'databaseName'],
  ...['databaseUser', 'diskSizeGB', 'suspended', 'dashboardUrl', 'createdAt', 'updatedAt'],
  ...below('ipAllowList.*', ['cidrBlock', 'description']),
  ...below('options', ['maxmemoryPolicy', 'persistenceMode']),
];

/** Shows the settings and state of a database. Hides its passwords. */
export const databaseRedaction: Redaction = {
  kind: 'database',
  context: [...below('record', DATABASE), 'isMade', 'tries'],
  hidden: ['sealedSecrets', 'reason'],
  events: {
    'CONFIG.CHANGED': below('record', DATABASE),
    'xstate.done.actor.*': ['actorId', 'output.ok', 'output.isFinal'],
    'xstate.error.actor.*': ['actorId', 'error.name', 'error.code'],
  },
};

/** Shows the progress of a cron job run. */
export const cronRunRedaction: Redaction = {
  kind: 'cron-run',
  context: [
    ...['serviceId', 'runId', 'startedAt', 'outcome', 'finishedAt'],
    ...below('reason', REASON),
  ],
  hidden: below('reason', REASON_TEXTS),
  events: {
    CANCEL: ['at'],
    'xstate.done.actor.*': [
      ...['actorId', 'output.ok', 'output.at', 'output.runId'],
      ...below('output.reason', REASON),
    ],
    'xstate.error.actor.*': ['actorId', 'error.name', 'error.code'],
  },
};
