import { z } from 'zod';
import { MicroUsdText } from '../common/money.ts';
import type { PublicEvent } from './event-log.ts';

const Wallet = z.string().regex(/^0x[0-9a-f]{40}$/);
const Transaction = z.string().regex(/^0x[0-9a-f]{64}$/);
const Bps = z.int().min(0).max(10_000);
const Instant = z.iso.datetime();
const Funding = z.enum(['escrow', 'on_release']);
/** Fields that every job event has. */
const JobFields = {
  buyer: Wallet,
  provider: Wallet,
  price: MicroUsdText,
  funding: Funding,
  /** The provider's bid; `null` if the provider was asked directly and never accepted the terms. */
  bid_id: z.string().nullable(),
} as const;

/** Schema of `data` per type of public event. Fields may be added but are never removed. */
export const EVENT_DATA = {
  'request.posted': z.looseObject({
    buyer: Wallet,
    capability_id: z.string(),
    budget: MicroUsdText,
    funding: Funding,
    open_until: Instant,
  }),
  'request.withdrawn': z.looseObject({ buyer: Wallet }),
  'request.expired': z.looseObject({ buyer: Wallet }),
  'bid.placed': z.looseObject({ bid_id: z.string(), provider: Wallet, price: MicroUsdText }),
  'job.opened': z.looseObject({ ...JobFields, request_id: z.string(), fee_bps: Bps }),
  'job.escrowed': z.looseObject({ ...JobFields, transaction: Transaction }),
  'job.fulfilled': z.looseObject({
    ...JobFields,
    deliverable_sha256: z.string(),
    deadline: Instant.nullable(),
    transaction: Transaction.nullable(),
  }),
  'job.released': z.looseObject({
    ...JobFields,
    /** `null` if the job was released before a deliverable was submitted. */
    deliverable_sha256: z.string().nullable(),
    net: MicroUsdText,
    fee: MicroUsdText,
    fee_bps: Bps,
    transaction: Transaction,
    is_automatic: z.boolean(),
    is_late: z.boolean(),
  }),
  'job.refunded': z.looseObject({
    ...JobFields,
    amount: MicroUsdText,
    transaction: Transaction,
    reason: z.enum(['unfulfilled', 'given_back', 'decided', 'undecided', 'late']),
  }),
  'job.disputed': z.looseObject({ ...JobFields, by: Wallet, transaction: Transaction }),
  'job.dispute_withdrawn': z.looseObject({ ...JobFields, transaction: Transaction }),
  'job.decided': z.looseObject({
    ...JobFields,
    upheld: z.enum(['provider', 'buyer']),
    transaction: Transaction,
  }),
  'job.expired_unreleased': z.looseObject({ ...JobFields }),
  /** No deliverable was submitted by the deadline of a job that holds no money. */
  'job.lapsed': z.looseObject({ ...JobFields, reason: z.literal('unfulfilled') }),
  'arbitration.filed': z.looseObject({
    buyer: Wallet,
    provider: Wallet,
    claimant_role: z.enum(['buyer', 'provider']),
    effect: z.enum(['decides_escrow', 'evidence_only']),
    seats: z.int(),
    mode: z.string(),
    window_ends_at: Instant,
    evidence_path: z.string(),
  }),
  'passport.minted': z.looseObject({
    name: z.string(),
    agent_id: z.string(),
    agent_class: z.string(),
    owner: Wallet,
    transaction: Transaction,
  }),
  'passport.wallet_bound': z.looseObject({
    name: z.string(),
    agent_id: z.string(),
    wallet: Wallet,
    /** `null` if the wallet was already bound on the chain. */
    transaction: Transaction.nullable(),
  }),
  'passport.claimed': z.looseObject({
    name: z.string(),
    agent_id: z.string(),
    owner: Wallet,
    transaction: Transaction.nullable(),
  }),
  'passport.revoked': z.looseObject({ name: z.string(), agent_id: z.string(), reason: z.string() }),
  'delegation.granted': z.looseObject({
    delegation_id: z.string(),
    delegator: Wallet,
    delegate: Wallet,
    scope: z.array(z.string()),
    expires_at: Instant,
  }),
  'delegation.revoked': z.looseObject({
    delegation_id: z.string(),
    delegator: Wallet,
    delegate: Wallet,
  }),
  'settlement.settled': z.looseObject({
    price: MicroUsdText,
    fee_bps: Bps,
    fee: MicroUsdText,
    network: z.string(),
    tool: z.string(),
    transaction: Transaction,
  }),
  'settlement.refunded': z.looseObject({
    amount: MicroUsdText,
    network: z.string(),
    tool: z.string(),
    transaction: Transaction,
    settlement_transaction: Transaction,
    reason: z.string(),
  }),
} as const;

/** Type of a public event. */
export type EventType = keyof typeof EVENT_DATA;

/** Data of one type of public event. */
export type EventData<Type extends EventType> = z.infer<(typeof EVENT_DATA)[Type]>;

/** An event in the public feed; `data` follows the schema of its type if the type is known. */
export const PublicEventShape = z.object({
  seq: z.int().min(0),
  at: Instant,
  type: z.string().min(1).max(256),
  ref: z.string().min(1).max(256),
  subjects: z.array(z.string().min(1).max(256)).max(8),
  data: z.record(z.string(), z.json()),
});

/**
 * Parses the data of an event of one type.
 *
 * @returns `undefined` if the event has another type or its data does not match.
 */
export function parseEventData<Type extends EventType>(
  event: PublicEvent,
  type: Type,
): EventData<Type> | undefined {
  if (event.type !== type) return undefined;
  const parsed = EVENT_DATA[type].safeParse(event.data);
  return parsed.success ? (parsed.data as EventData<Type>) : undefined;
}
