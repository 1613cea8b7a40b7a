import { z } from 'zod';
import { PARTS } from './score.ts';

const Dollars = z.string().regex(/^\d+\.\d{2,6}$/);
const Count = z.int().min(0);
const Instant = z.iso.datetime().nullable();

/** Why settled jobs are excluded. */
export const EXCLUSIONS = {
  self_dealing: 'The buyer and the provider are one wallet.',
  circular_payments:
    'The buyer and the provider can each be reached from the other by payments for settled jobs.',
  nothing_delivered: 'It was released before anything was handed in.',
} as const;

/** Why a settled job is excluded. */
export type Exclusion = keyof typeof EXCLUSIONS;

/** Activity of a wallet as a buyer. It neither gives nor costs points. */
export const BuyerRecord = z.object({
  settled_jobs: Count,
  settled_usd: Dollars,
  disputes: Count.describe('Disputes that it opened.'),
  lost_disputes: Count,
  left_unpaid: Count.describe('Jobs that it let expire without release, and has not paid since.'),
});

/** Track record of a wallet from its settled jobs. It is fully derived from public events. */
export const Reputation = z.object({
  wallet: z
    .string()
    .regex(/^0x[0-9a-f]{40}$/)
    .nullable(),
  score: z.int().min(0).max(100),
  badge: z.enum(['gold', 'silver', 'bronze', 'none']),
  parts: z.object({
    volume: z.number().min(0).max(PARTS.volume),
    quality: z.number().min(0).max(PARTS.quality),
    diversity: z.number().min(0).max(PARTS.diversity),
    chain: z.number().min(0).max(PARTS.chain),
  }),
  settled_jobs: Count.describe(
    'Jobs that count: settled, delivered, outside of circular payments.',
  ),
  settled_usd: Dollars,
  fees_paid_usd: Dollars.describe('Fees of the service on those jobs.'),
  distinct_counterparties: Count,
  disputes: Count.describe('Disputes about its work.'),
  lost_disputes: Count,
  refunds: Count.describe('Jobs whose money went back to the buyer.'),
  unfulfilled: Count.describe('Jobs that it had bid for and did not deliver in time.'),
  first_settled_at: Instant,
  last_settled_at: Instant,
  excluded: z.object({
    jobs: Count,
    reasons: z.array(z.object({ reason: z.enum(exclusions()), jobs: Count, usd: Dollars })),
  }),
  as_buyer: BuyerRecord,
  /** Number of feed events, from 0 on, that the record covers. */
  as_of: z.object({ events: Count }),
});
/** Track record of a wallet from its settled jobs. */
export type Reputation = z.infer<typeof Reputation>;

function exclusions(): [Exclusion, ...Exclusion[]] {
  return Object.keys(EXCLUSIONS) as [Exclusion, ...Exclusion[]];
}
