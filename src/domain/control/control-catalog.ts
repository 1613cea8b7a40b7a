import type { MicroUsdLiteral } from '../common/money.ts';

/** Status of a control (specification section 3). */
export type ControlLabel = 'LIVE' | 'SHADOW' | 'OFF';

/** All control statuses. */
export const CONTROL_LABELS = ['LIVE', 'SHADOW', 'OFF'] as const satisfies ControlLabel[];

/** Publication date of the control catalog. */
export const PACK_DATE = '2026-09-19';

/** An HTTP path at which a control is read or bought. */
export interface ControlPath {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** Matches every path that starts with `path`. */
  readonly isPrefix?: true;
}

/** Catalog entry of a control. */
export interface ControlEntry {
  /** The label until the operator changes it. */
  readonly label: ControlLabel;
  readonly title: string;
  /** Stage of a trade at which it applies. */
  readonly stage: 'before' | 'during' | 'after';
  /** What it does while LIVE. Not shown for a control that is not LIVE. */
  readonly does: string;
  /** What it records in SHADOW; absent if it has no such mode. */
  readonly records?: string;
  /** What it does not do; shown with every label. */
  readonly limit: string;
  /** Price per use; `free`, or `elsewhere` if another price list states it. */
  readonly price: MicroUsdLiteral | 'free' | 'elsewhere';
  readonly tools: readonly string[];
  readonly paths: readonly ControlPath[];
  /** Labels that the control supports. */
  readonly labels: readonly ControlLabel[];
  /** Why other labels are rejected. */
  readonly fixed?: string;
}

/** A sold control has no SHADOW mode: a caller either pays for a result or does not. */
const SOLD_LABELS = ['LIVE', 'OFF'] as const;
const SOLD_REASON = 'It has no SHADOW mode, because callers would get no result.';

// A new control is one entry here, after those of the specification, and its test.
const ENTRIES = {
  'reputation-lookup': {
    label: 'LIVE',
    title: 'Reputation lookup',
    stage: 'before',
    does: 'Returns the track record of a counterparty, computed from settled jobs.',
    limit: 'Past behavior does not bind an agent.',
    price: '10000',
    tools: ['reputation_lookup'],
    paths: [{ method: 'POST', path: '/v1/services/trust-check' }],
    labels: SOLD_LABELS,
    fixed: SOLD_REASON,
  },
  'trust-badge': {
    label: 'LIVE',
    title: 'Trust badge',
    stage: 'before',
    does: 'Returns a badge computed from verified settlements.',
    limit: 'A badge summarises the past and guarantees nothing.',
    price: '10000',
    tools: ['agent_trust-badge'],
    paths: [{ method: 'POST', path: '/v1/services/trust-check' }],
    labels: SOLD_LABELS,
    fixed: SOLD_REASON,
  },
  'passport-read': {
    label: 'LIVE',
    title: 'Passport read',
    stage: 'before',
    does: 'Returns identity, class, owner and registered wallet of an agent.',
    limit: 'A passport shows who signs, not who that is or how well it works.',
    price: 'free',
    tools: [],
    paths: [{ method: 'GET', path: '/a2a/passport/', isPrefix: true }],
    labels: SOLD_LABELS,
    fixed: SOLD_REASON,
  },
  'prehire-check': {
    label: 'LIVE',
    title: 'Prehire check',
    stage: 'before',
    does: 'Returns settlements, disputes and revocations of an agent in one signed report.',
    limit: 'Advised above about 100 dollars of exposure; it reports the past and stops no payment.',
    price: '250000',
    tools: ['agent_prehire-check'],
    paths: [],
    labels: SOLD_LABELS,
    fixed: SOLD_REASON,
  },
  'injection-resilience': {
    label: 'LIVE',
    title: 'Injection resilience test',
    stage: 'before',
    does: 'Tests how a counterparty handles input that carries injected instructions.',
    limit: 'It covers only the tested inputs, on the day of the test.',
    price: '500000',
    tools: ['security_injection-resilience'],
    paths: [],
    labels: SOLD_LABELS,
    fixed: SOLD_REASON,
  },
  'escrow-funded-requests': {
    label: 'LIVE',
    title: 'Escrow-funded requests',
    stage: 'during',
    does: 'Holds the money of a request in a contract until the job is released or refunded.',
    limit: 'A fulfilled job is released when its window ends, unless it is disputed.',
    price: 'free',
    tools: [],
    paths: [],
    labels: SOLD_LABELS,
    fixed: 'Escrowed money cannot be simulated. Funded jobs continue when it is OFF.',
  },
  'release-window': {
    label: 'LIVE',
    title: '72 hour release window',
    stage: 'during',
    does: 'Gives the buyer of a fulfilled escrowed job 72 hours, then releases it.',
    limit: 'The pay-first path has no window: the money has already moved.',
    price: 'free',
    tools: [],
    paths: [],
    labels: ['LIVE'],
    fixed: 'The contract on the chain enforces it; no label can stop it.',
  },
  'payer-binding': {
    label: 'LIVE',
    title: 'Payer binding',
    stage: 'during',
    does: 'Records on the row whether the payer is the registered wallet.',
    limit: 'A mismatch is recorded and blocks nothing.',
    price: 'free',
    tools: [],
    paths: [],
    labels: SOLD_LABELS,
    fixed: 'A record has no effect, so SHADOW would be identical.',
  },
  'fee-disclosure': {
    label: 'LIVE',
    title: 'Fee disclosure',
    stage: 'during',
    does: 'States the fee of 20% (fee_bps 2000) on challenge, release, payout and receipt.',
    limit: 'It discloses the fee and does not change it.',
    price: 'free',
    tools: [],
    paths: [],
    labels: ['LIVE'],
    fixed: 'The contract takes the fee whether or not it is disclosed.',
  },
  'two-leg-escrow': {
    label: 'OFF',
    title: 'Two-leg escrow with a held success fee',
    stage: 'during',
    does: 'Holds a success fee separately from the price.',
    limit: 'No product has opted in, so it is never offered.',
    price: 'elsewhere',
    tools: [],
    paths: [],
    labels: ['OFF'],
    fixed: 'No product has opted in, so it has nothing to act on.',
  },
  'sealed-bid-negotiation': {
    label: 'SHADOW',
    title: 'Sealed-bid negotiation',
    stage: 'before',
    does: 'Negotiates over sealed reserves.',
    records: 'records the outcome for deals of $25 or more with an outside counterparty',
    limit: 'Hidden from counterparty and chain, not from the operator.',
    price: 'free',
    tools: [],
    paths: [],
    labels: ['SHADOW', 'OFF'],
    fixed: 'Nothing uses its outcome, so it cannot be LIVE.',
  },
  'settlement-proof-read': {
    label: 'LIVE',
    title: 'Settlement proof read',
    stage: 'after',
    does: 'Returns rail, proof tier and anchor of a settlement, with its inclusion in the log.',
    limit: 'A proof shows what was recorded, not that it is true.',
    price: 'free',
    tools: [],
    paths: [{ method: 'GET', path: '/v1/proofs/settlement/', isPrefix: true }],
    labels: SOLD_LABELS,
    fixed: SOLD_REASON,
  },
  'process-attestation': {
    label: 'LIVE',
    title: 'Process attestation',
    stage: 'after',
    does: 'Signs a statement that a process was followed, based on the submitted evidence.',
    limit: 'The service attests the submitted evidence; it did not observe the process.',
    price: '250000',
    tools: ['security_process-attestation'],
    paths: [],
    labels: SOLD_LABELS,
    fixed: SOLD_REASON,
  },
  'single-use-seal': {
    label: 'LIVE',
    title: 'Single-use seal',
    stage: 'after',
    does: 'Binds one deliverable to one producing agent at one time and rejects a second use.',
    limit: 'A seal does not attest quality.',
    price: '50000',
    tools: ['attestation_single-use-seal'],
    paths: [],
    labels: SOLD_LABELS,
    fixed: SOLD_REASON,
  },
  'witness-scoring': {
    label: 'LIVE',
    title: 'Witness scoring at release',
    stage: 'after',
    does: 'Scores a job at its release from chain data and the deliverable.',
    records: 'records the score in the proof log, marked as SHADOW',
    limit: 'The score is recorded; it moves no money.',
    price: 'elsewhere',
    tools: [],
    paths: [],
    labels: CONTROL_LABELS,
  },
  'dispute-arbitration': {
    label: 'LIVE',
    title: 'Dispute arbitration',
    stage: 'after',
    does: 'A panel run by the operator decides a dispute on the evidence of both sides.',
    limit: 'The arbiter is the operator’s panel, and the operator sees the evidence.',
    price: '5000000',
    tools: ['arbitration_dispute-settlement'],
    paths: [],
    labels: SOLD_LABELS,
    fixed: SOLD_REASON,
  },
  'evidence-bundle': {
    label: 'SHADOW',
    title: 'Evidence bundle of witness and anchor',
    stage: 'after',
    does: 'Binds witness and anchor to a completion.',
    records: 'classifies and logs the tier of every completion; runs nothing automatically',
    limit: 'Witness and anchor are not run for a completion.',
    price: 'free',
    tools: [],
    paths: [],
    labels: ['SHADOW', 'OFF'],
    fixed: 'The bundle is not built automatically, so it cannot be LIVE.',
  },
} as const satisfies Readonly<Record<string, ControlEntry>>;

/** Id of a control. */
export type ControlId = keyof typeof ENTRIES;

/** The control catalog: the controls of specification section 8, then further ones. */
export const CONTROL_CATALOG: Readonly<Record<ControlId, ControlEntry>> = ENTRIES;

/** All control ids, in catalog order. */
export const CONTROL_IDS = Object.keys(CONTROL_CATALOG) as readonly ControlId[];

/** The declared label of each control. */
export const CONTROLS = Object.fromEntries(
  CONTROL_IDS.map((id) => [id, CONTROL_CATALOG[id].label]),
) as Readonly<Record<ControlId, ControlLabel>>;

/** Returns whether a text is the id of a control. */
export function isControlId(text: string): text is ControlId {
  return Object.hasOwn(CONTROL_CATALOG, text);
}
