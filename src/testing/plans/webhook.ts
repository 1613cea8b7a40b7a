import type { PathPlan } from '../path.ts';

const happened = { key: 'k', at: '2026-01-01T00:00:00.000Z', data: { job: 'x' } };
const OWN = [`0x${'a1'.repeat(20)}`];

/** Path plan of a webhook for jobs and fired alerts. */
export const webhookPlan: PathPlan = {
  inputs: {
    both: {
      webhookId: 'wh_path',
      owner: `0x${'a1'.repeat(20)}`,
      url: 'https://example.org/hook',
      events: ['job.*', 'alert.fired'],
      about: OWN,
      seq: 5,
      failuresMax: 2,
    },
  },
  events: {
    'WEBHOOK.EVENT': [
      { ...happened, event: 'alert.fired' },
      { ...happened, event: 'alert.stale' },
    ],
    'WEBHOOK.PUBLIC': [
      { ...happened, event: 'job.released', seq: 500, subjects: OWN },
      { ...happened, event: 'passport.minted', seq: 6, subjects: OWN },
      { ...happened, event: 'job.released', seq: 6, subjects: ['agent:7'] },
      { ...happened, event: 'job.released', seq: 4, subjects: OWN },
    ],
    'WEBHOOK.PASSED': [{ seq: 900 }, { seq: 1 }],
    'WEBHOOK.ENABLED': [{ seq: 11 }],
    'DELIVERY.ENDED': [
      { key: 'k', isTaken: false },
      { key: 'k', isTaken: true },
    ],
  },
};
