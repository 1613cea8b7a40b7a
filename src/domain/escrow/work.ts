import { z } from 'zod';
import { Money } from '../common/money.ts';

const Hash = z.string().regex(/^0x[0-9a-f]{64}$/);
const Address = z.string().regex(/^0x[0-9a-f]{40}$/);
const Instant = z.iso.datetime();

/** Where the money is until release. */
export const Funding = z.enum(['escrow', 'on_release']);
/** One of the {@link Funding} values. */
export type Funding = z.infer<typeof Funding>;

/** Limits of the work board. */
export const WORK_LIMITS = {
  taskCharsMax: 8_000,
  capabilityCharsMax: 100,
  bidsMax: 50,
  noteCharsMax: 1_000,
  deliverableBytesMax: 262_144,
  /** Maximum hours that a request stays open and a job stays unfulfilled. */
  hoursMax: 24 * 90,
  reasonCharsMax: 2_000,
} as const;

/** A bid as returned to callers. */
export const BidView = z.object({
  bid_id: z.string(),
  request_id: z.string(),
  provider: Address,
  /** Passport of the provider's wallet, if registered. */
  provider_agent: z.string().nullable(),
  price: Money,
  note: z.string(),
  at: Instant,
  status: z.enum(['open', 'accepted', 'lost', 'withdrawn']),
});
/** A parsed {@link BidView}. */
export type BidView = z.infer<typeof BidView>;

/** A board request as returned to callers. */
export const RequestView = z.object({
  request_id: z.string(),
  buyer: Address,
  capability_id: z.string(),
  task_description: z.string(),
  budget: Money,
  funding: Funding,
  /** The only eligible provider; `null` if anyone may bid. */
  provider: Address.nullable(),
  state: z.enum(['open', 'assigned', 'withdrawn', 'expired']),
  posted_at: Instant,
  open_until: Instant,
  fulfil_by: Instant,
  bids: z.array(BidView),
  job_id: z.string().nullable(),
  /** Currently possible moves and the parties that may make them. */
  moves: z.array(z.object({ move: z.string(), by: z.string(), how: z.string() })),
});
/** A parsed {@link RequestView}. */
export type RequestView = z.infer<typeof RequestView>;

/**
 * Effect of the deadline on a job. `refund`: the buyer is refunded. `held`: the money stays in
 * escrow until people decide. `lapsed` and `forgone`: the job closes without payment. `none`: no
 * deadline applies any more.
 */
export const OnDeadline = z.enum([
  ...(['auto_release', 'expired_unreleased', 'refund', 'held'] as const),
  ...(['lapsed', 'forgone', 'none'] as const),
]);
/** One of the {@link OnDeadline} values. */
export type OnDeadline = z.infer<typeof OnDeadline>;

/** How a fulfilled job is released, and what happens otherwise (specification section 2). */
export const ReleaseBlock = z.object({
  price: Money,
  fee_bps: z.int(),
  /**
   * Amounts that the service keeps and the provider receives on release; 0 if release is no longer
   * possible.
   */
  fee: Money,
  net: Money,
  payee: Address,
  treasury: Address,
  chain: z.string(),
  /**
   * RFC 3339 time at which `on_deadline` takes effect without action; `null` if there is no
   * deadline.
   */
  deadline: Instant.nullable(),
  on_deadline: OnDeadline,
  how_to_release: z.array(z.string()),
});
/** A parsed {@link ReleaseBlock}. */
export type ReleaseBlock = z.infer<typeof ReleaseBlock>;

/** Payer binding of a job: recorded, never blocking (specification section 5). */
export const PayerBinding = z.object({
  payer: Address,
  registered_wallet: Address.nullable(),
  match: z.boolean().nullable(),
});
/** A parsed {@link PayerBinding}. */
export type PayerBinding = z.infer<typeof PayerBinding>;

/** A confirmed chain event that changed a job. */
export const JobFact = z.object({
  fact: z.string(),
  transaction: z.string(),
  block: z.int(),
  log_index: z.int(),
});

/** A job as returned to callers. */
export const JobView = z.object({
  job_id: z.string(),
  request_id: z.string(),
  bid_id: z.string().nullable(),
  /** Key of an escrowed job on the chain. */
  escrow_key: Hash.nullable(),
  buyer: Address,
  provider: Address,
  funding: Funding,
  /** Machine state with its substates: `fulfilled.waiting`. */
  state: z.string(),
  fulfil_by: Instant,
  release: ReleaseBlock,
  /** `null` until the provider is paid. */
  payout: z
    .object({
      net: Money,
      fee: Money,
      fee_bps: z.int(),
      transaction: z.string(),
      is_late: z.boolean(),
      is_automatic: z.boolean(),
    })
    .nullable(),
  /** `null` until the buyer is refunded. */
  refund: z.object({ amount: Money, transaction: z.string(), at: Instant }).nullable(),
  /**
   * Amount that the escrow could not send when the job ended on the chain, and how the party can
   * get it. The job counts as released or refunded after the party has the money.
   */
  owed: z
    .object({
      to: Address,
      role: z.enum(['buyer', 'provider']),
      amount: Money,
      transaction: z.string(),
      why: z.string(),
      how: z.string(),
    })
    .nullable(),
  deliverable_sha256: z.string().nullable(),
  dispute: z
    .object({
      by: z.string(),
      /** A job can be disputed once; a withdrawn dispute cannot be reopened. */
      status: z.enum(['open', 'withdrawn', 'decided', 'settled']),
      reason: z.string(),
      verdict: z.string().nullable(),
      /** Deadline for the arbiter's decision; `null` after the dispute ends. */
      verdict_due: z.string().nullable(),
      /** Effect of that deadline; `held` leaves the money in escrow. */
      on_silence: z.enum(['held', 'refunded', 'none']),
      /** True if the deadline passed without a verdict. */
      is_undecided: z.boolean(),
    })
    .nullable(),
  payer_binding: PayerBinding.nullable(),
  src: z.string().nullable(),
  facts: z.array(JobFact),
  /** Currently possible moves, their parties, and the typed data that a party signs. */
  moves: z.array(
    z.object({
      move: z.string(),
      by: z.string(),
      how: z.string(),
      typed_data: z.looseObject({}).optional(),
    }),
  ),
  last_error: z.string().nullable(),
});
/** A parsed {@link JobView}. */
export type JobView = z.infer<typeof JobView>;
