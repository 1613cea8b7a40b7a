import { prefixPaths, type Redaction } from './redaction.ts';

const REASON = ['earlyExit', 'nonZeroExit', 'oomKilled.memoryLimitMib', 'timedOut.seconds'];
/** Texts from programs and from the host. */
const REASON_TEXTS = ['unhealthy', 'timedOut.what', 'evicted', 'missing'];
const COMMIT = ['id', 'createdAt'];
const SERVICE = [
  ...['id', 'type', 'name', 'slug', 'ownerId', 'branch', 'autoDeploy', 'suspended'],
  ...['suspenders.*', 'dashboardUrl', 'createdAt', 'updatedAt'],
  ...prefixPaths('serviceDetails', [
    ...['runtime', 'plan', 'region', 'numInstances', 'url', 'maxShutdownDelaySeconds'],
    ...['schedule', 'nextRunAt', 'lastSuccessfulRunAt', 'healthCheckPath', 'publishPath'],
  ]),
];
/** Repository URLs and commands may contain secrets of their owner. */
const SERVICE_HIDDEN = [
  ...['repo', 'pushUrl'],
  ...prefixPaths('serviceDetails', [
    ...['buildCommand', 'startCommand', 'preDeployCommand'],
    ...['dockerfilePath', 'dockerContext', 'dockerCommand'],
  ]),
];
const SOURCE = ['kind', 'commitId', 'releaseId', ...prefixPaths('commit', COMMIT)];
const ASK = ['deployId', 'trigger', 'clearCache', ...prefixPaths('source', SOURCE)];
const LIVE = ['deployId', 'releaseId', ...prefixPaths('commit', COMMIT)];
const WORK_END = ['ok', 'at', ...prefixPaths('commit', COMMIT), ...prefixPaths('reason', REASON)];

/** Shows the state of a service. Hides its environment variables, repository, and commands. */
export const serviceRedaction: Redaction = {
  kind: 'service',
  context: [
    ...prefixPaths('service', SERVICE),
    ...prefixPaths('first', ASK),
    ...prefixPaths('waiting', ASK),
    ...prefixPaths('currentAsk', ASK),
    ...prefixPaths('live', LIVE),
    ...['current', 'isYielding', 'isServing', 'seenCommit', 'isDiskHigh', 'at'],
  ],
  hidden: [
    ...prefixPaths('service', SERVICE_HIDDEN),
    ...['sealedEnv', 'orderHash', 'live.commit.message'],
    ...['first', 'waiting', 'currentAsk'].map((ask) => `${ask}.source.commit.message`),
  ],
  events: {
    'DEPLOY.ASKED': ['at', ...ASK],
    'DEPLOY.CANCELED': ['at', 'deployId'],
    'DEPLOY.LIVE': ['at', ...LIVE],
    'DEPLOY.ENDED': ['at', 'deployId', ...prefixPaths('commit', COMMIT)],
    'SERVICE.CHANGED': ['at', ...prefixPaths('service', SERVICE), ...prefixPaths('ask', ASK)],
    'ENV.REPLACED': ['at', ...prefixPaths('ask', ASK)],
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
    ...prefixPaths('input', ['deployId', 'trigger', 'clearCache', 'mustWait', 'at']),
    ...prefixPaths('input.service', SERVICE),
    ...prefixPaths('input.source', SOURCE),
    ...prefixPaths('source', SOURCE),
    ...prefixPaths('commit', COMMIT),
    ...prefixPaths('reason', REASON),
    ...['startedAt', 'finishedAt', 'round', 'former.*'],
    ...prefixPaths('instances.*', ['instanceId', 'isHealthy']),
  ],
  hidden: [
    ...prefixPaths('input.service', SERVICE_HIDDEN),
    ...prefixPaths('reason', REASON_TEXTS),
    ...['input.sealedEnv', 'commit.message'],
    ...['source.commit.message', 'input.source.commit.message'],
  ],
  events: {
    'TURN.COME': ['at', ...prefixPaths('source', SOURCE)],
    CANCEL: ['at', 'by'],
    'INSTANCE.HEALTHY': ['at', 'instanceId'],
    'INSTANCE.FAILED': ['at', 'instanceId', ...prefixPaths('reason', REASON)],
    'xstate.done.actor.*': ['actorId', ...prefixPaths('output', WORK_END)],
    'xstate.error.actor.*': ['actorId', 'error.name', 'error.code'],
    '*': ['at'],
  },
};

/** Shows the state of an instance and the kind of each exit. */
export const instanceRedaction: Redaction = {
  kind: 'instance',
  context: [
    ...prefixPaths('input', [
      'instanceId',
      'deployId',
      'releaseId',
      ...prefixPaths('commit', COMMIT),
    ]),
    ...prefixPaths('input.service', SERVICE),
    ...prefixPaths('reason', REASON),
    ...['start', 'wasHealthy', 'healthyAt', 'crashes', 'endedAt'],
  ],
  hidden: [
    ...prefixPaths('input.service', SERVICE_HIDDEN),
    ...prefixPaths('reason', REASON_TEXTS),
    ...['input.sealedEnv', 'input.commit.message'],
  ],
  events: {
    DRAIN: [],
    'xstate.done.actor.*': [
      ...['actorId', 'output.ok', 'output.at', 'output.isHostRestart'],
      ...prefixPaths('output.reason', REASON),
    ],
    'xstate.error.actor.*': ['actorId', 'error.name', 'error.code'],
  },
};

const DATABASE = [
  ...['id', 'name', 'ownerId', 'plan', 'region', 'version', 'role', 'databaseName'],
  ...['databaseUser', 'diskSizeGB', 'suspended', 'dashboardUrl', 'createdAt', 'updatedAt'],
  ...prefixPaths('ipAllowList.*', ['cidrBlock', 'description']),
  ...prefixPaths('options', ['maxmemoryPolicy', 'persistenceMode']),
];

/** Shows the settings and state of a database. Hides its passwords. */
export const databaseRedaction: Redaction = {
  kind: 'database',
  context: [...prefixPaths('record', DATABASE), 'isMade', 'tries'],
  hidden: ['sealedSecrets', 'reason'],
  events: {
    'CONFIG.CHANGED': prefixPaths('record', DATABASE),
    'xstate.done.actor.*': ['actorId', 'output.ok', 'output.isFinal'],
    'xstate.error.actor.*': ['actorId', 'error.name', 'error.code'],
  },
};

/** Shows the progress of a cron job run. */
export const cronRunRedaction: Redaction = {
  kind: 'cron-run',
  context: [
    ...['serviceId', 'runId', 'startedAt', 'outcome', 'finishedAt'],
    ...prefixPaths('reason', REASON),
  ],
  hidden: prefixPaths('reason', REASON_TEXTS),
  events: {
    CANCEL: ['at'],
    'xstate.done.actor.*': [
      ...['actorId', 'output.ok', 'output.at', 'output.runId'],
      ...prefixPaths('output.reason', REASON),
    ],
    'xstate.error.actor.*': ['actorId', 'error.name', 'error.code'],
  },
};
