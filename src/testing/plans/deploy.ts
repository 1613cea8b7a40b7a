import type {
  DeployContext,
  DeployInput,
  DeploySource,
} from '../../machines/hosting/deploy/context.ts';
import type { EffectError } from '../../runtime/engine/types.ts';
import type { ModelView, PathPlan } from '../path.ts';
import { EXIT_REASON, PLAN_START_MS, staticSite, webService } from './hosting.ts';

const internalError: EffectError = { name: 'AppError', code: 'INTERNAL', message: 'lost' };
const commit = { id: 'c0ffee', message: 'Say hello', createdAt: '2026-01-01T00:00:00.000Z' };
const release: DeploySource = { kind: 'release', releaseId: 'dep-before', commit };
const ends = {
  done: [
    { ok: true, at: PLAN_START_MS + 1_000 },
    { ok: false, at: PLAN_START_MS + 1_000, reason: EXIT_REASON },
  ],
  error: [internalError],
};

const input: DeployInput = {
  deployId: 'dep-00000000000000000009',
  trigger: 'new_commit',
  clearCache: false,
  service: webService,
  sealedEnv: 'sealed',
  source: { kind: 'commit', commitId: 'c0ffee' },
  mustWait: true,
  at: PLAN_START_MS,
};
const plain = { ...webService.serviceDetails, numInstances: 1, preDeployCommand: '' };

/** Path plan of deploys of services with two instances, with one, and with none. */
export const deployPlan: PathPlan = {
  inputs: {
    web: input,
    plain: {
      ...input,
      trigger: 'rollback',
      source: release,
      mustWait: false,
      service: { ...webService, serviceDetails: plain },
    },
    site: { ...input, service: staticSite, source: { kind: 'same' }, mustWait: false },
  },
  events: {
    'TURN.COME': [
      { source: { kind: 'branch' }, at: PLAN_START_MS + 500 },
      { source: release, at: PLAN_START_MS + 500 },
    ],
    // Paths take the first payload that a guard accepts: the one with a reason.
    CANCEL: [{ by: 'dep-newer', at: PLAN_START_MS + 600 }, { at: PLAN_START_MS + 600 }],
    'DEPLOY.REPLACED': [{ at: PLAN_START_MS + 700 }],
    RESTART: [{ at: PLAN_START_MS + 800 }],
    'INSTANCE.HEALTHY': (view) =>
      instanceIds(view).map((instanceId) => ({ instanceId, at: PLAN_START_MS + 900 })),
    'INSTANCE.FAILED': (view) =>
      instanceIds(view).map((instanceId) => ({
        instanceId,
        reason: EXIT_REASON,
        at: PLAN_START_MS + 900,
      })),
  },
  effects: {
    fetch: { ...ends, done: [{ ok: true, at: PLAN_START_MS + 1_000, commit }, ends.done[1]] },
    build: ends,
    preDeploy: ends,
    cutOver: ends,
  },
  facets: ({ input: { service }, source, instances, round }: DeployContext) => [
    service.id,
    source.kind,
    instances.map(({ isHealthy }) => isHealthy),
    Math.min(round, 3),
  ],
  stopWhen: ({ context }: ModelView<DeployContext>) => context.round > 3,
};

/** Returns the instances of the current round and one of another round. */
function instanceIds({ context }: ModelView<DeployContext>): readonly string[] {
  const { instances } = context;
  return [...instances.map(({ instanceId }) => instanceId), 'srv-of-another-round'];
}
