import { z } from 'zod';
import { BADGES } from './score.ts';
import { Reputation } from './view.ts';

const Wallet = z.string().regex(/^0x[0-9a-f]{40}$/);
const Instant = z.iso.datetime();
const Count = z.int().min(0);
const Dollars = z.string().regex(/^\d+\.\d{2,6}$/);

/** Exposure above which a prehire check is advised, in dollars (specification section 8). */
export const ADVISED_ABOVE_USD = '100';
/** Rows of each kind that a report lists at most, the newest first. */
export const ROWS_MAX = 25;
/** The newest events of a subject that lists are made from; totals are made from all. */
export const EVENTS_READ_MAX = 1_000;

/** A statement of the service under its signature, as results carry it. */
export const Statement = z.object({
  kind: z.string(),
  issued_at: Instant,
  payload_hash: z.string().regex(/^[0-9a-f]{64}$/),
  signature: z.object({
    alg: z.literal('eip712'),
    signer: z.string(),
    chain_id: z.int(),
    value: z.string(),
  }),
});

/** Whom a statement is about: what was asked for, and what it names. */
const About = {
  subject: z.string(),
  requested_by: z
    .string()
    .optional()
    .describe('The wallet that paid for this statement; the subject need not know of it.'),
  registered: z.boolean().describe('Whether it names an agent of the registry.'),
  wallet: Wallet.nullable().describe('The wallet whose record it is.'),
  agent: z
    .object({
      name: z.string(),
      agent_id: z.string(),
      operator_id: z.string().describe('Claimed by the agent, not verified.'),
      agent_class: z.string().describe('Claimed by the agent, not verified.'),
      owner: Wallet,
      custody: z.enum(['operator', 'self']),
      status: z.enum(['active', 'revoked']),
      registered_at: Instant,
      registration_tx: z.string(),
    })
    .nullable(),
} as const;

const Badge = z.enum(['gold', 'silver', 'bronze', 'none']);

/** A settled job as it is listed. */
const SettledRow = z.object({
  ref: z.string(),
  at: Instant,
  role: z.enum(['provider', 'buyer']),
  counterparty: Wallet,
  price_usd: Dollars,
  fee_usd: Dollars,
  transaction: z.string(),
  is_automatic: z.boolean(),
  is_late: z.boolean(),
});

const DisputeRow = z.object({
  ref: z.string(),
  at: Instant,
  role: z.enum(['provider', 'buyer']),
  counterparty: Wallet,
  outcome: z.enum(['open', 'withdrawn', 'won', 'lost', 'undecided']),
});

const RefundRow = z.object({
  ref: z.string(),
  at: Instant,
  role: z.enum(['provider', 'buyer']),
  counterparty: Wallet,
  amount_usd: Dollars,
  reason: z.string(),
  transaction: z.string(),
});

const RevocationRow = z.object({
  what: z.enum(['passport', 'delegation']),
  ref: z.string(),
  at: Instant,
  reason: z.string().nullable(),
});

const DelegationRow = z.object({
  delegation_id: z.string(),
  delegator: z.string(),
  delegate: z.string(),
  scope: z.array(z.string()),
  expires_at: Instant,
  status: z.enum(['active', 'expired', 'revoked']),
  given_by_subject: z
    .boolean()
    .optional()
    .describe('False: another wallet gave it, and the subject need not have agreed.'),
});

/** What `reputation_lookup` states. */
export const ReputationStatement = z.object({ ...About, reputation: Reputation });

/** What `agent_trust-badge` states. */
export const BadgeStatement = z.object({
  ...About,
  badge: Badge,
  score: z.int(),
  settled_jobs: Count,
  settled_usd: Dollars,
  lost_disputes: Count,
  thresholds: z.object({ gold: z.int(), silver: z.int(), bronze: z.int() }),
  as_of: z.object({ events: Count }),
  valid_until: Instant,
});

/** Facts that whoever hires should look at. They are no advice to hire or not. */
export const SIGNALS = [
  'not_registered',
  'no_wallet_bound',
  'passport_revoked',
  'no_settled_history',
  'lost_disputes',
  'open_disputes',
  'unfulfilled_work',
  'circular_payments',
  'self_dealing',
  'few_counterparties',
  'delegation_revoked',
] as const;

/** What `agent_prehire-check` states. */
export const PrehireStatement = z.object({
  ...About,
  reputation: Reputation,
  signals: z.array(z.enum(SIGNALS)),
  settlements: z.array(SettledRow).max(ROWS_MAX),
  disputes: z.array(DisputeRow).max(ROWS_MAX),
  refunds: z.array(RefundRow).max(ROWS_MAX),
  revocations: z.array(RevocationRow).max(ROWS_MAX),
  delegations: z.array(DelegationRow).max(ROWS_MAX),
  lists: z.object({
    rows_max: z.literal(ROWS_MAX),
    newest_events_read: Count,
    is_complete: z.boolean().describe('Whether these are all events about the wallet.'),
  }),
  advised_above_usd: z.literal(ADVISED_ABOVE_USD),
  limits: z.array(z.string()),
});

/** What `procurement_trust-layer` states. */
export const EvidenceStatement = z.object({
  ...About,
  badge: Badge,
  score: z.int(),
  settled_jobs: Count,
  lost_disputes: Count,
  evidence: z
    .array(
      z.object({
        seq: Count,
        at: Instant,
        type: z.string(),
        ref: z.string(),
        transaction: z.string().nullable(),
      }),
    )
    .max(ROWS_MAX),
  ledger: z.object({
    events: Count.describe('Events of the public feed that were read.'),
    proofs_checkpoint: z.string().nullable().describe('Newest signed note of the log of proofs.'),
    agent_registry: z.string().nullable(),
    escrow: z.string().nullable(),
  }),
});

/** What the trust check over HTTP states: settlement record and badge in one. */
export const TrustCheckStatement = z.object({
  ...About,
  badge: Badge,
  score: z.int(),
  settlement_record: Reputation,
  thresholds: z.object({ gold: z.int(), silver: z.int(), bronze: z.int() }),
  valid_until: Instant,
});

/** The answer of a tool that states something: the statement, and how to check it. */
export function stated<Payload extends z.ZodType>(payload: Payload) {
  return z.object({
    score: z.int().min(0).max(100),
    badge: Badge,
    registered: z.boolean(),
    payload,
    statement: Statement,
    proof: z
      .object({ kind: z.literal(30017), ref: z.string() })
      .nullable()
      .describe('Its record in the log of proofs, once the payment has settled.'),
    verify: z.string(),
  });
}

/** The thresholds of badges, as statements repeat them. */
export const THRESHOLDS = { ...BADGES };
