import type { CronRunContext } from '../../machines/hosting/cron-run-facts.ts';
import type { EffectError } from '../../runtime/engine/types.ts';
import type { PathPlan } from '../path.ts';
import { AT, cronJob, EXIT } from './hosting.ts';

const lost: EffectError = { name: 'AppError', code: 'INTERNAL', message: 'lost' };
const runId = 'crr-00000000000000000007';

/** Path plan of a run of a cron job. */
export const cronRunPlan: PathPlan = {
  input: { serviceId: cronJob.id },
  events: { CANCEL: [{ at: AT + 500 }] },
  effects: {
    prepare: {
      done: [
        { ok: true, runId, at: AT },
        { ok: false, runId, at: AT, reason: { missing: 'a version that is live' } },
      ],
      error: [lost],
    },
    run: {
      done: [
        { at: AT + 1_000, reason: null },
        { at: AT + 1_000, reason: EXIT },
      ],
      error: [lost],
    },
    stop: { done: [{ at: AT + 2_000 }], error: [lost] },
  },
  facets: ({ outcome }: CronRunContext) => outcome,
};
