import type {
  CronJob,
  FailureReason,
  StaticSite,
  WebService,
} from '../../domain/hosting/records.ts';

/** Start time of hosting plans, in milliseconds since 1970. */
export const PLAN_START_MS = 1_700_000_000_000;
/** A failure reason shared by all plans. */
export const EXIT_REASON: FailureReason = { nonZeroExit: 3 };

const base = {
  slug: 'hello',
  name: 'hello',
  ownerId: 'tea-00000000000000000000',
  repo: 'https://example.org/hello.git',
  branch: 'main',
  autoDeploy: 'yes',
  suspended: 'not_suspended',
  suspenders: [],
  dashboardUrl: 'http://localhost/console#services/hello',
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
} as const;

/** A service with instances and a pre-deploy command. */
export const webService: WebService = {
  ...base,
  id: 'srv-00000000000000000001',
  type: 'web_service',
  serviceDetails: {
    runtime: 'node',
    buildCommand: 'true',
    startCommand: 'node server.mjs',
    plan: 'starter',
    region: 'oregon',
    numInstances: 2,
    healthCheckPath: '/healthz',
    url: 'http://hello.localhost',
    maxShutdownDelaySeconds: 30,
    preDeployCommand: 'node migrate.mjs',
  },
};

/** A service without instances. */
export const staticSite: StaticSite = {
  ...base,
  id: 'srv-00000000000000000002',
  type: 'static_site',
  serviceDetails: { buildCommand: 'true', publishPath: 'public', url: 'http://site.localhost' },
};

/** A cron job. */
export const cronJob: CronJob = {
  ...base,
  id: 'crn-00000000000000000003',
  type: 'cron_job',
  serviceDetails: {
    runtime: 'node',
    buildCommand: 'true',
    startCommand: 'node job.mjs',
    plan: 'starter',
    region: 'oregon',
    schedule: '*/5 * * * *',
  },
};
