import { z } from 'zod';
import { HOUR_MS, MINUTE_MS } from '../common/time.ts';
import { type AsiCategory, AsiCategory as AsiCategoryShape } from './records.ts';

/** Audit plans: two cover all categories; one covers only the injection corpus. */
export const AuditPlanName = z.enum(['framework', 'enterprise', 'injection']);
/** One of the audit plan names. */
export type AuditPlanName = z.infer<typeof AuditPlanName>;

/** A seat of an audit. All seats are rule-based programs; none uses a language model. */
export const AuditSeat = z.object({
  seat_id: z.string(),
  role: z.string(),
  kind: z.literal('rule'),
  /** Categories whose probes the seat runs. */
  categories: z.array(AsiCategoryShape),
});
/** A parsed {@link AuditSeat}. */
export type AuditSeat = z.infer<typeof AuditSeat>;

/** Seats and target limits of an audit. */
export interface AuditPlan {
  readonly seats: readonly AuditSeat[];
  /** Maximum requests to the target over the whole audit, including recon and replays. */
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

/** Seat that replays findings in the enterprise audit. */
const VERIFIER = 'A11';

/** Audit plans by name. */
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

/** Returns the seat that runs the probes of a category. */
export function findAuditor(plan: AuditPlanName, category: AsiCategory): AuditSeat {
  const { seats } = AUDIT_PLANS[plan];
  const found = seats.find(({ categories }) => categories.includes(category));
  return found ?? seats[0] ?? NO_SEAT;
}

/**
 * Returns the seat that must reproduce a finding; never the seat that found it. Framework seats
 * verify each other in a ring; the enterprise audit has a dedicated verifier.
 */
export function findVerifier(plan: AuditPlanName, category: AsiCategory): AuditSeat {
  const { seats } = AUDIT_PLANS[plan];
  const verifier = seats.find(({ seat_id }) => seat_id === VERIFIER);
  if (verifier !== undefined) return verifier;
  const at = seats.indexOf(findAuditor(plan, category));
  return seats[(at + 1) % seats.length] ?? NO_SEAT;
}

const NO_SEAT: AuditSeat = { seat_id: '', role: '', kind: 'rule', categories: [] };
