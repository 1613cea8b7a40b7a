import { z } from 'zod';
import { BADGES } from './score.ts';
import { Reputation } from './view.ts';

const Wallet = z.string().regex(/^0x[0-9a-f]{40}$/);
const Instant = z.iso.datetime();
const Count = z.int().min(0);
const Dollars = z.string().regex(/^\d+\.\d{2,6}$/);

/** Exposure in dollars above which a prehire check is recommended (specification section 8). */
export const PREHIRE_ADVISED_ABOVE_USD = '100';
/** Maximum number of rows per kind in a report, newest first. */
export const ROWS_MAX = 25;
/** Number of latest events of a subject that the lists cover. Totals cover all events. */
export const EVENTS_READ_MAX = 1_000;

/** A signed statement of the service. */
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

/** Subject of a statement: the requested name and what it resolves to. */
const SubjectFields = {
  subject: z.string(),
  requested_by: z
    .string()
    .optional()
    .describe('The wallet that paid for this statement. The subject may not know of it.'),
  registered: z.boolean().describe('Whether the subject is an agent in the registry.'),
  wallet: Wallet.nullable().describe('The wallet of the record.'),
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

/** A settled job in a list. */
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
    .describe('False if another wallet granted it, possibly without the subject’s consent.'),
});

/** Payload of `reputation_lookup`. */
export const ReputationStatement = z.object({ ...SubjectFields, reputation: Reputation });

/** Payload of `agent_trust-badge`. */
export const BadgeStatement = z.object({
  ...SubjectFields,
  badge: Badge,
  score: z.int(),
  settled_jobs: Count,
  settled_usd: Dollars,
  lost_disputes: Count,
  thresholds: z.object({ gold: z.int(), silver: z.int(), bronze: z.int() }),
  as_of: z.object({ events: Count }),
  valid_until: Instant,
});

/** Facts to consider before hiring. They are not a recommendation. */
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

/** Payload of `agent_prehire-check`. */
export const PrehireStatement = z.object({
  ...SubjectFields,
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
    is_complete: z.boolean().describe('Whether the lists cover all events about the wallet.'),
  }),
  advised_above_usd: z.literal(PREHIRE_ADVISED_ABOVE_USD),
  limits: z.array(z.string()),
});

/** Payload of `procurement_trust-layer`. */
export const EvidenceStatement = z.object({
  ...SubjectFields,
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
    events: Count.describe('Number of events read from the public feed.'),
    proofs_checkpoint: z.string().nullable().describe('Latest signed checkpoint of the proof log.'),
    agent_registry: z.string().nullable(),
    escrow: z.string().nullable(),
  }),
});

/** Payload of the HTTP trust check: settlement record and badge in one. */
export const TrustCheckStatement = z.object({
  ...SubjectFields,
  badge: Badge,
  score: z.int(),
  settlement_record: Reputation,
  thresholds: z.object({ gold: z.int(), silver: z.int(), bronze: z.int() }),
  valid_until: Instant,
});

/** Creates the schema of a tool result with a signed statement and how to verify it. */
export function createStatementSchema<Payload extends z.ZodType>(payload: Payload) {
  return z.object({
    score: z.int().min(0).max(100),
    badge: Badge,
    registered: z.boolean(),
    payload,
    statement: Statement,
    proof: z
      .object({ kind: z.literal(30017), ref: z.string() })
      .nullable()
      .describe('Its record in the proof log, once the payment has settled.'),
    verify: z.string(),
  });
}

/** The thresholds of badges, as repeated in statements. */
export const THRESHOLDS = { ...BADGES };
