import { z } from 'zod';
import { Money } from '../money.ts';

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

/** How a fulfilled job is released, and what happens otherwise (specification section 2). */
export const ReleaseBlock = z.object({
  price: Money,
  fee_bps: z.int(),
  fee: Money,
  net: Money,
  payee: Address,
  treasury: Address,
  chain: z.string(),
  /** RFC 3339; `null` until it is fulfilled. */
  deadline: Instant.nullable(),
  on_deadline: z.enum(['auto_release', 'expired_unreleased']),
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
  deliverable_sha256: z.string().nullable(),
  dispute: z
    .object({
      by: z.string(),
      reason: z.string(),
      verdict: z.string().nullable(),
      /** Until when the arbiter ought to have decided. */
      verdict_due: z.string(),
      /** What that time does: `held` leaves the money where it is, whoever waits. */
      on_silence: z.enum(['held', 'refunded']),
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
