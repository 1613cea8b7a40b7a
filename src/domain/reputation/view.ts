import { z } from 'zod';
import { PARTS } from './score.ts';

const Dollars = z.string().regex(/^\d+\.\d{2,6}$/);
const Count = z.int().min(0);
const Instant = z.iso.datetime().nullable();

/** Why settled jobs are excluded. */
export const EXCLUSIONS = {
  self_dealing: 'The buyer and the provider are the same wallet.',
  circular_payments:
    'The buyer and the provider can each be reached from the other by payments for settled jobs.',
  nothing_delivered: 'The job was released before a deliverable was submitted.',
} as const;

/** Why a settled job is excluded. */
export type Exclusion = keyof typeof EXCLUSIONS;

/** Activity of a wallet as a buyer. It neither gives nor costs points. */
export const BuyerRecord = z.object({
  settled_jobs: Count,
  settled_usd: Dollars,
  disputes: Count.describe('Number of disputes that the wallet opened.'),
  lost_disputes: Count,
  left_unpaid: Count.describe('Number of jobs that expired without release and are still unpaid.'),
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
    'Number of counted jobs: settled, delivered and outside of circular payments.',
  ),
  settled_usd: Dollars,
  fees_paid_usd: Dollars.describe('Service fees on the counted jobs.'),
  distinct_counterparties: Count,
  disputes: Count.describe('Number of disputes about the work of the wallet.'),
  lost_disputes: Count,
  refunds: Count.describe('Number of jobs refunded to the buyer.'),
  unfulfilled: Count.describe('Number of jobs bid for but not delivered in time.'),
  first_settled_at: Instant,
  last_settled_at: Instant,
  excluded: z.object({
    jobs: Count,
    reasons: z.array(z.object({ reason: z.enum(exclusionNames()), jobs: Count, usd: Dollars })),
  }),
  as_buyer: BuyerRecord,
  /** Number of feed events, from 0 on, that the record covers. */
  as_of: z.object({ events: Count }),
});
/** Track record of a wallet from its settled jobs. */
export type Reputation = z.infer<typeof Reputation>;

function exclusionNames(): [Exclusion, ...Exclusion[]] {
  return Object.keys(EXCLUSIONS) as [Exclusion, ...Exclusion[]];
}
