import type { PathPlan } from '../../src/testing/path.ts';
import { arbitrationPlan } from '../../src/testing/plans/arbitration.ts';
import { auditPlan } from '../../src/testing/plans/audit.ts';
import { controlPlan } from '../../src/testing/plans/control.ts';
import { councilPlan } from '../../src/testing/plans/council.ts';
import { debatePlan } from '../../src/testing/plans/debate.ts';
import { jobPlan } from '../../src/testing/plans/job.ts';
import { paymentPlan } from '../../src/testing/plans/payment.ts';

/**
 * What may happen to each machine through the front. A payment's refund is settled, refused or
 * breaks: an unknown outcome is asked again before its machine hears of it. A cancel owes a part.
 */
export const FRONT_PLANS: Readonly<Record<Driven, PathPlan>> = {
  payment: {
    ...paymentPlan,
    effects: {
      ...paymentPlan.effects,
      refund: {
        ...paymentPlan.effects?.['refund'],
        done: refundEnds(['settled', 'failed']),
      },
    },
    events: { ...paymentPlan.events, 'WORK.CANCELLED': [{ refundMicroUsd: '4000' }] },
  },
  debate: debatePlan,
  job: jobPlan,
  control: controlPlan,
  council: councilPlan,
  arbitration: arbitrationPlan,
  audit: auditPlan,
};

/** Kinds of actors that are driven. */
export type Driven = 'payment' | 'debate' | Developed;

/** Those that are driven as development actors: their effects end as the path says. */
export type Developed = 'job' | 'control' | 'council' | 'arbitration' | 'audit';

/** Transitions that no caller, chain, model or operator can bring about, and why. */
export const BEYOND: Readonly<Record<Driven, Readonly<Record<string, string>>>> = {
  payment: {
    'settled|WORK.CANCELLED|1':
      'a cancel always owes something: models may spend half of the price at the most',
  },
  debate: {},
  job: {},
  control: {},
  council: {},
  arbitration: {},
  audit: {},
};

/** Outcomes of a refund that are in one of the states. */
export function refundEnds(states: readonly string[]): readonly { readonly state: string }[] {
  const { done } = paymentPlan.effects?.['refund'] ?? {};
  const outcomes = Array.isArray(done) ? (done as readonly { readonly state: string }[]) : [];
  return outcomes.filter(({ state }) => states.includes(state));
}
