import { z } from 'zod';
import { DAY_MS, SECOND_MS } from '../common/time.ts';
import { WAIT_S_MAX } from '../panel/records.ts';
import { DelegationId } from '../passport/delegation.ts';
import { ADVANCED } from '../tool/advanced.ts';
import { waitField } from '../tool/wait-field.ts';
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
    .describe('Evidence window in seconds, at least 86400 if the verdict decides the escrow.'),
  seats: z
    .union(ARBITER_SEATS.map((seats) => z.literal(seats)))
    .optional()
    .describe('3, 5 or 7. Default: one per language model, at least 3. Fixed rules have 3.')
    .meta(ADVANCED),
  seats_by: z
    .enum(['auto', 'models', 'rules'])
    .default('auto')
    .describe(
      'Who judges. auto: models if there are any, else fixed rules; required for an escrow.',
    ),
  delegation_id: DelegationId.optional()
    .describe('For a delegate: a delegation of a party that allows "jobs.arbitrate".')
    .meta(ADVANCED),
  wait_s: waitField(WAIT_S_MAX, 0),
});
/** A parsed {@link ArbitrationRequest}. */
export type ArbitrationRequest = z.infer<typeof ArbitrationRequest>;
