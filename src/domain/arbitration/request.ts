import { z } from 'zod';
import { DAY_MS, SECOND_MS } from '../common/time.ts';
import { WAIT_S_MAX } from '../panel/records.ts';
import { DelegationId } from '../passport/delegation.ts';
import { ARBITER_SEATS, EVIDENCE_LIMITS } from './records.ts';

/** Default evidence window, in seconds. */
const DEFAULT_WINDOW_S = (2 * DAY_MS) / SECOND_MS;

/** Input of an arbitration request. */
export const ArbitrationRequest = z.strictObject({
  job_id: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,128}$/)
    .describe('The board job whose settlement you contest.'),
  window_s: z
    .int()
    .min(EVIDENCE_LIMITS.windowSMin)
    .max(EVIDENCE_LIMITS.windowSMax)
    .default(DEFAULT_WINDOW_S)
    .describe(
      'Evidence window in seconds. It ends early when both sides have finished. At least ' +
        '86400 if the verdict decides the escrow.',
    ),
  seats: z
    .union(ARBITER_SEATS.map((seats) => z.literal(seats)))
    .optional()
    .describe(
      'Number of seats. Defaults to one per available language model, with a minimum of 3. ' +
        'Panels of fixed rules have 3.',
    ),
  seats_by: z
    .enum(['auto', 'models', 'rules'])
    .default('auto')
    .describe(
      'Who judges. auto: language models if the operator has any, otherwise fixed rules. If the ' +
        'verdict decides the escrow, only auto is allowed.',
    ),
  delegation_id: DelegationId.optional().describe(
    'For a delegate: a delegation of the buyer or provider that allows "jobs.arbitrate". ' +
      'Without it, the paying wallet must be the buyer or the provider.',
  ),
  wait_s: z.int().min(0).max(WAIT_S_MAX).default(0),
});
/** A parsed {@link ArbitrationRequest}. */
export type ArbitrationRequest = z.infer<typeof ArbitrationRequest>;
