import {
  CRASHES_MAX,
  type InstanceContext,
  type InstanceInput,
  QUIET_MS,
} from '../../machines/hosting/instance-facts.ts';
import type { EffectError } from '../../runtime/engine/types.ts';
import type { PathPlan } from '../path.ts';
import { AT, EXIT, webService } from './hosting.ts';

const lost: EffectError = { name: 'AppError', code: 'INTERNAL', message: 'lost' };
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
        { ok: true, at: AT },
        { ok: false, at: AT, reason: EXIT },
      ],
      error: [lost],
    },
    watch: {
      done: [
        { at: AT + 1_000, reason: EXIT, isHostRestart: false },
        { at: AT + QUIET_MS, reason: { evicted: 'restart' }, isHostRestart: true },
      ],
      error: [lost],
    },
    stop: { done: [null], error: [lost] },
  },
  facets: ({ wasHealthy, crashes }: InstanceContext) => [
    wasHealthy,
    Math.min(crashes, CRASHES_MAX),
  ],
};
