import type { CronJob, Service } from '../../domain/hosting/records.ts';
import { isSuspendedByCrashes, SUSPENDED_BY_CRASHLOOP } from '../../domain/hosting/suspension.ts';
import type {
  DeployRequest,
  ServiceContext,
  ServiceInput,
} from '../../machines/hosting/service/context.ts';
import type { ModelView, PathPlan } from '../path.ts';
import { cronJob, PLAN_START_MS, webService } from './hosting.ts';

const at = PLAN_START_MS;
const commit = { id: 'c0ffee', message: 'Say hello', createdAt: '2026-01-01T00:00:00.000Z' };
const failedCommit = { ...commit, id: 'dead01' };
const createAsk = (deployId: string, kind: 'branch' | 'same'): DeployRequest => ({
  deployId,
  trigger: 'manual',
  clearCache: kind === 'branch',
  source: { kind },
});
const input: ServiceInput = {
  service: webService,
  sealedEnv: 'sealed',
  orderHash: 'order',
  first: createAsk('dep-first', 'branch'),
  at,
};
const details = webService.serviceDetails;
const changed: Service = {
  ...webService,
  autoDeploy: 'no',
  branch: 'next',
  serviceDetails: { ...details, plan: 'pro', numInstances: 3 },
};
const slower: CronJob = { ...cronJob, autoDeploy: 'no' };
const faster: CronJob = { ...slower, autoDeploy: 'yes' };
const crashed: Service = {
  ...webService,
  suspended: 'suspended',
  suspenders: [SUSPENDED_BY_CRASHLOOP],
};

/** Path plan of a service, and of a cron job that waits for its first push. */
export const servicePlan: PathPlan = {
  inputs: { web: input, cron: { ...input, service: slower, first: null } },
  events: {
    'DEPLOY.ASKED': [
      { ...createAsk('dep-asked', 'branch'), at },
      { ...createAsk('dep-again', 'same'), at },
    ],
    'DEPLOY.CANCELED': (view) => deployIds(view).map((deployId) => ({ deployId, at })),
    'DEPLOY.LIVE': (view) =>
      deployIds(view).map((deployId) => ({ deployId, releaseId: deployId, commit, at })),
    'DEPLOY.ENDED': (view) =>
      deployIds(view).map((deployId) => ({ deployId, commit: failedCommit, at })),
    'SERVICE.CHANGED': ({ context }: ModelView<ServiceContext>) => {
      const { service } = context;
      const { suspended, suspenders } = service;
      const next = service.type === 'web_service' ? changed : faster;
      return [
        { service: { ...next, suspended, suspenders }, ask: createAsk('dep-changed', 'same'), at },
        { service: { ...service, name: 'renamed' }, ask: null, at },
      ];
    },
    'ENV.REPLACED': [{ sealedEnv: 'other', ask: createAsk('dep-env', 'same'), at }],
    'BRANCH.MOVED': [
      { commitId: 'beef01', isSkipped: false, deployId: 'dep-moved', at },
      { commitId: 'beef02', isSkipped: true, deployId: 'dep-skipped', at },
    ],
    'BRANCH.GONE': [{ at }],
    'RUN.SUCCEEDED': [{ at }],
    'DISK.MEASURED': [measureDisk(0.9), measureDisk(0.75), measureDisk(0.1)],
    RESTART: [{ at }],
    SUSPEND: [{ at }],
    RESUME: [{ deployId: 'dep-resumed', at }],
    REMOVE: [{ at }],
    'INSTANCE.STUCK': (view) =>
      deployIds(view).map((deployId) => ({ instanceId: 'srv-x', deployId, at })),
  },
  facets: ({ service, current, waiting, live, isServing, ...rest }: ServiceContext) => [
    [service.id, service.autoDeploy, service.suspended],
    [current !== null, waiting?.source.kind ?? null, live !== null, isServing],
    [rest.seenCommit, rest.isDiskHigh, rest.currentAsk?.source.kind ?? null, rest.isYielding],
  ],
};

/** Path plan of a service until its crash loop ends, with and without a running deploy. */
export const crashLoopPlan: PathPlan = {
  ...servicePlan,
  inputs: {
    'crash-loop-at-work': { ...input, service: crashed },
    'crash-loop-at-rest': { ...input, service: crashed, first: null },
  },
  stopWhen: ({ context }: ModelView<ServiceContext>) => !isSuspendedByCrashes(context.service),
};

/** Creates a disk measurement with a given share in use. */
function measureDisk(share: number) {
  return { used: { bytes: 1_000 * share, files: 0 }, room: { bytes: 1_000, files: 100 }, at };
}

/** Returns the known deploys and an unknown one. */
function deployIds({ context }: ModelView<ServiceContext>): readonly string[] {
  const { current, waiting, live } = context;
  const known = [current, waiting?.deployId, live?.deployId].filter((id) => typeof id === 'string');
  return [...new Set(known), 'dep-unknown'];
}
