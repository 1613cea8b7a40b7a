import { z } from 'zod';
import { DAY_MS, SECOND_MS } from '../common/time.ts';
import { WAIT_S_MAX } from '../panel/records.ts';
import { DelegationId } from '../passport/delegation.ts';
import { ARBITER_SEATS, EVIDENCE } from './records.ts';

/** Default evidence window, in seconds. */
const WINDOW_S = (2 * DAY_MS) / SECOND_MS;

/** Input of an arbitration request. */
export const ArbitrationRequest = z.strictObject({
  job_id: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,128}$/)
    .describe('The job of the board whose settlement is contested.'),
  window_s: z
    .int()
    .min(EVIDENCE.windowSMin)
    .max(EVIDENCE.windowSMax)
    .default(WINDOW_S)
    .describe(
      'How long both sides may hand in evidence; it ends early once both have finished. At least ' +
        '86400 where the verdict decides the escrow.',
    ),
  seats: z
    .union(ARBITER_SEATS.map((seats) => z.literal(seats)))
    .optional()
    .describe(
      'Seats of the panel. Default: as many as there are language models for a seat each, at ' +
        'least 3; fixed rules fill 3.',
    ),
  seats_by: z
    .enum(['auto', 'models', 'rules'])
    .default('auto')
    .describe(
      'Who judges; auto: language models if the operator has any, else fixed rules. Where the ' +
        'verdict decides the escrow it is auto: the caller does not choose the judges.',
    ),
  delegation_id: DelegationId.optional().describe(
    'For a delegate: the delegation of the buyer or the provider that allows "jobs.arbitrate". ' +
      'Without it the paying wallet must be the buyer or the provider.',
  ),
  wait_s: z.int().min(0).max(WAIT_S_MAX).default(0),
});
/** A parsed {@link ArbitrationRequest}. */
export type ArbitrationRequest = z.infer<typeof ArbitrationRequest>;
