import { z } from 'zod';
import { Money } from '../common/money.ts';

const Hash = z.string().regex(/^0x[0-9a-f]{64}$/);
const Address = z.string().regex(/^0x[0-9a-f]{40}$/);
const Instant = z.iso.datetime();

/** Who holds the money until release. */
export const Funding = z.enum(['escrow', 'on_release']);
/** See {@link Funding}. */
export type Funding = z.infer<typeof Funding>;

/** Bounds of the board. */
export const WORK = {
  taskCharsMax: 8_000,
  capabilityCharsMax: 100,
  bidsMax: 50,
  noteCharsMax: 1_000,
  deliverableBytesMax: 262_144,
  /** How long a request may stay open, and a job unfulfilled, in hours. */
  hoursMax: 24 * 90,
  reasonCharsMax: 2_000,
} as const;

/** A bid as it is told. */
export const BidView = z.object({
  bid_id: z.string(),
  request_id: z.string(),
  provider: Address,
  /** The passport that the provider's wallet is registered with, when there is one. */
  provider_agent: z.string().nullable(),
  price: Money,
  note: z.string(),
  at: Instant,
  status: z.enum(['open', 'accepted', 'lost', 'withdrawn']),
});
/** See {@link BidView}. */
export type BidView = z.infer<typeof BidView>;

/** A request on the board, as it is told. */
export const RequestView = z.object({
  request_id: z.string(),
  buyer: Address,
  capability_id: z.string(),
  task_description: z.string(),
  budget: Money,
  funding: Funding,
  /** The provider that it is meant for; `null`: anyone may bid. */
  provider: Address.nullable(),
  state: z.enum(['open', 'assigned', 'withdrawn', 'expired']),
  posted_at: Instant,
  open_until: Instant,
  fulfil_by: Instant,
  bids: z.array(BidView),
  job_id: z.string().nullable(),
  /** What can be done now, and by whom. */
  moves: z.array(z.object({ move: z.string(), by: z.string(), how: z.string() })),
});
/** See {@link RequestView}. */
export type RequestView = z.infer<typeof RequestView>;

/**
 * What time alone does to a job. `refund`: the buyer gets the money back; `held`: it stays in the
 * escrow until people decide; `lapsed` and `forgone`: it closes and nobody is paid; `none`: no
 * deadline changes anything any more.
 */
export const OnDeadline = z.enum([
  ...(['auto_release', 'expired_unreleased', 'refund', 'held'] as const),
  ...(['lapsed', 'forgone', 'none'] as const),
]);
/** See {@link OnDeadline}. */
export type OnDeadline = z.infer<typeof OnDeadline>;

/** How a fulfilled job is released, and what happens otherwise (specification section 2). */
export const ReleaseBlock = z.object({
  price: Money,
  fee_bps: z.int(),
  /** What the service keeps and the provider gets on release; 0 once that cannot come any more. */
  fee: Money,
  net: Money,
  payee: Address,
  treasury: Address,
  chain: z.string(),
  /** RFC 3339: when `on_deadline` happens unless somebody acts; `null` where no time decides. */
  deadline: Instant.nullable(),
  on_deadline: OnDeadline,
  how_to_release: z.array(z.string()),
});
/** See {@link ReleaseBlock}. */
export type ReleaseBlock = z.infer<typeof ReleaseBlock>;

/** Stamp of the payer binding: recorded, never blocking (specification section 5). */
export const PayerBinding = z.object({
  payer: Address,
  registered_wallet: Address.nullable(),
  match: z.boolean().nullable(),
});
/** See {@link PayerBinding}. */
export type PayerBinding = z.infer<typeof PayerBinding>;

/** A confirmed fact of the chain that moved a job. */
export const JobFact = z.object({
  fact: z.string(),
  transaction: z.string(),
  block: z.int(),
  log_index: z.int(),
});

/** A job, as it is told. */
export const JobView = z.object({
  job_id: z.string(),
  request_id: z.string(),
  bid_id: z.string().nullable(),
  /** The job's key on the chain, on escrowed jobs. */
  escrow_key: Hash.nullable(),
  buyer: Address,
  provider: Address,
  funding: Funding,
  /** State of the machine, with its parts: `fulfilled.waiting`. */
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
  /** `null` until the buyer has the money back. */
  refund: z.object({ amount: Money, transaction: z.string(), at: Instant }).nullable(),
  /**
   * What the escrow could not send to a party when the job ended on the chain, and how the party
   * gets it. The job counts as released or refunded, with proof and record, once it has the money.
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
      /** A job takes one dispute: one that is withdrawn cannot be opened again. */
      status: z.enum(['open', 'withdrawn', 'decided', 'settled']),
      reason: z.string(),
      verdict: z.string().nullable(),
      /** Until when the arbiter ought to have decided; `null` once the dispute is over. */
      verdict_due: z.string().nullable(),
      /** What that time does: `held` leaves the money where it is, whoever waits. */
      on_silence: z.enum(['held', 'refunded', 'none']),
      /** True once that time is over without a verdict. */
      is_undecided: z.boolean(),
    })
    .nullable(),
  payer_binding: PayerBinding.nullable(),
  src: z.string().nullable(),
  facts: z.array(JobFact),
  /** What can be done now, by whom, and the typed data that a party signs for it. */
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
/** See {@link JobView}. */
export type JobView = z.infer<typeof JobView>;
