import type { CronRunContext } from '../../machines/hosting/cron-run.ts';
import type { EffectError } from '../../runtime/engine/types.ts';
import type { PathPlan } from '../path.ts';
import { cronJob, EXIT_REASON, PLAN_START_MS } from './hosting.ts';

const internalError: EffectError = { name: 'AppError', code: 'INTERNAL', message: 'lost' };
const runId = 'crr-00000000000000000007';

/** Path plan of a run of a cron job. */
export const cronRunPlan: PathPlan = {
  input: { serviceId: cronJob.id },
  events: { CANCEL: [{ at: PLAN_START_MS + 500 }] },
  effects: {
    prepare: {
      done: [
        { ok: true, runId, at: PLAN_START_MS },
        { ok: false, runId, at: PLAN_START_MS, reason: { missing: 'a version that is live' } },
      ],
      error: [internalError],
    },
    run: {
      done: [
        { at: PLAN_START_MS + 1_000, reason: null },
        { at: PLAN_START_MS + 1_000, reason: EXIT_REASON },
      ],
      error: [internalError],
    },
    stop: { done: [{ at: PLAN_START_MS + 2_000 }], error: [internalError] },
  },
  facets: ({ outcome }: CronRunContext) => outcome,
};
