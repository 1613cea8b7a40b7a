import {
  CRASHES_MAX,
  type InstanceContext,
  type InstanceInput,
  STABLE_MS,
} from '../../machines/hosting/instance.ts';
import type { EffectError } from '../../runtime/engine/types.ts';
import type { PathPlan } from '../path.ts';
import { EXIT_REASON, PLAN_START_MS, webService } from './hosting.ts';

const internalError: EffectError = { name: 'AppError', code: 'INTERNAL', message: 'lost' };
const input: InstanceInput = {
  instanceId: 'srv-00000000000000000001-abcdefabcd',
  deployId: 'dep-00000000000000000009',
  service: webService,
  sealedEnv: 'sealed',
  releaseId: 'dep-00000000000000000009',
  commit: null,
};

/** Path plan of an instance. */
export const instancePlan: PathPlan = {
  input,
  events: {},
  effects: {
    start: {
      done: [
        { ok: true, at: PLAN_START_MS },
        { ok: false, at: PLAN_START_MS, reason: EXIT_REASON },
      ],
      error: [internalError],
    },
    watch: {
      done: [
        { at: PLAN_START_MS + 1_000, reason: EXIT_REASON, isHostRestart: false },
        { at: PLAN_START_MS + STABLE_MS, reason: { evicted: 'restart' }, isHostRestart: true },
      ],
      error: [internalError],
    },
    stop: { done: [null], error: [internalError] },
  },
  facets: ({ wasHealthy, crashes }: InstanceContext) => [
    wasHealthy,
    Math.min(crashes, CRASHES_MAX),
  ],
};
