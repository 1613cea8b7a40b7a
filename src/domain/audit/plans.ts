import { z } from 'zod';
import { HOUR_MS, MINUTE_MS } from '../common/time.ts';
import { type AsiCategory, AsiCategory as AsiCategoryShape } from './records.ts';

/** The audits that are sold: two over all categories, and the corpus of injections alone. */
export const AuditPlanName = z.enum(['framework', 'enterprise', 'injection']);
/** See {@link AuditPlanName}. */
export type AuditPlanName = z.infer<typeof AuditPlanName>;

/** A seat of an audit. Seats are rules here: programs with a task, and no language model. */
export const AuditSeat = z.object({
  seat_id: z.string(),
  role: z.string(),
  kind: z.literal('rule'),
  /** The categories whose probes it runs. */
  categories: z.array(AsiCategoryShape),
});
/** See {@link AuditSeat}. */
export type AuditSeat = z.infer<typeof AuditSeat>;

/** What an audit is: who sits there, and what it may spend on its target. */
export interface AuditPlan {
  readonly seats: readonly AuditSeat[];
  /** Requests to the target over the whole audit, recon and replays included. */
  readonly requestsMax: number;
  readonly deadlineMs: number;
}

const FRAMEWORK_PAIRS: readonly (readonly [AsiCategory, AsiCategory])[] = [
  ['ASI01', 'ASI06'],
  ['ASI02', 'ASI05'],
  ['ASI03', 'ASI07'],
  ['ASI04', 'ASI10'],
  ['ASI08', 'ASI09'],
];

/** The seat that replays findings of the enterprise audit. */
const VERIFIER = 'A11';

/** The audits by name. */
export const AUDIT_PLANS: Readonly<Record<AuditPlanName, AuditPlan>> = {
  framework: {
    seats: FRAMEWORK_PAIRS.map((categories, at) => ({
      seat_id: `S${at + 1}`,
      role: `${categories.join(' and ')} auditor`,
      kind: 'rule',
      categories: [...categories],
    })),
    requestsMax: 1_000,
    deadlineMs: 15 * MINUTE_MS,
  },
  enterprise: {
    seats: [
      { seat_id: 'A00', role: 'scoper', kind: 'rule', categories: [] },
      ...AsiCategoryShape.options.map((category, at) => ({
        seat_id: `A${String(at + 1).padStart(2, '0')}`,
        role: `${category} auditor`,
        kind: 'rule' as const,
        categories: [category],
      })),
      { seat_id: VERIFIER, role: 'verifier', kind: 'rule', categories: [] },
      { seat_id: 'A12', role: 'notary', kind: 'rule', categories: [] },
    ],
    requestsMax: 2_000,
    deadlineMs: HOUR_MS / 2,
  },
  injection: {
    seats: [
      { seat_id: 'I1', role: 'injector', kind: 'rule', categories: ['ASI01'] },
      { seat_id: 'I2', role: 'verifier', kind: 'rule', categories: [] },
    ],
    requestsMax: 1_200,
    deadlineMs: HOUR_MS / 2,
  },
};

/** The seat that runs the probes of a category. */
export function auditorOf(plan: AuditPlanName, category: AsiCategory): AuditSeat {
  const { seats } = AUDIT_PLANS[plan];
  const found = seats.find(({ categories }) => categories.includes(category));
  return found ?? seats[0] ?? NOBODY;
}

/**
 * The seat that must see a finding again before it counts; never the one that found it. The
 * framework's seats look after each other in a ring, the enterprise audit has a verifier.
 */
export function verifierOf(plan: AuditPlanName, category: AsiCategory): AuditSeat {
  const { seats } = AUDIT_PLANS[plan];
  const verifier = seats.find(({ seat_id }) => seat_id === VERIFIER);
  if (verifier !== undefined) return verifier;
  const at = seats.indexOf(auditorOf(plan, category));
  return seats[(at + 1) % seats.length] ?? NOBODY;
}

const NOBODY: AuditSeat = { seat_id: '', role: '', kind: 'rule', categories: [] };
