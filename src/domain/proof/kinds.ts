/** A kind of proof. */
export interface ProofKindRow {
  /** `kind_name` of its records. */
  readonly name: string;
  /** What is recorded, as Markdown; absent while nothing records this kind. */
  readonly when?: string;
  /** The ref of its records, as Markdown. */
  readonly ref?: string;
}

/**
 * The kinds of proof: the 15 of the specification, then further ones. 30014 is from the
 * specification; the other numbers are ours, because public lists contradict each other.
 * `node scripts/docs.mjs` writes the table of docs/proofs.md from them.
 */
export const PROOF_KINDS = {
  30010: {
    name: 'ProofOfPresence',
    when: 'a passport was minted',
    ref: 'the passport',
  },
  30011: {
    name: 'ProofOfAttestation',
    when:
      'a paid, signed answer: a process or audit attestation, an identity card check, a ' +
      'framework check, an introduction',
    ref: '`stm_` and 64 hex digits',
  },
  30012: {
    name: 'ProofOfBelonging',
    when: 'a wallet was bound to a passport',
    ref: 'the passport',
  },
  30013: {
    name: 'ProofOfWitness',
    when: 'a job was scored at its release; its evidence was classified',
    ref: 'the job; `shadow_` and the job if the control is SHADOW',
  },
  30014: {
    name: 'ProofOfDelegation',
    when: 'a delegation was granted',
    ref: 'the delegation',
  },
  30015: { name: 'ProofOfCompute' },
  30016: {
    name: 'ProofOfService',
    when:
      'a job was fulfilled; a seal was issued, used, or its use refused; a paid answer about ' +
      'a seal',
    ref: 'the job; `seal_…`; `stm_…`',
  },
  30017: {
    name: 'ProofOfReputation',
    when: 'a paid, signed answer about an agent',
    ref: '`stm_…`',
  },
  30018: {
    name: 'ProofOfAuditReport',
    when: 'an audit was reported and signed ([audits.md](audits.md))',
    ref: 'the audit, `aud_…`',
  },
  30019: { name: 'ProofOfDeployment' },
  30020: {
    name: 'ProofOfSettlement',
    when:
      'a payment settled, with a second record once its refund is on chain; an escrow was ' +
      'funded, a job was released or refunded',
    ref: '`set_` and 64 hex digits; the job',
  },
  30021: {
    name: 'ProofOfAdjudication',
    when: 'a dispute was decided; an arbitration ended with a signed verdict',
    ref: 'the job',
  },
  30022: {
    name: 'ProofOfResearch',
    when: 'a paid, signed answer of a data tool ([data-tools.md](data-tools.md))',
    ref: '`stm_…`',
  },
  30023: {
    name: 'ProofOfConsensus',
    when: 'a panel decided and was sealed',
    ref: '`con_` and 64 hex digits',
  },
  30024: {
    name: 'ProofOfRevocation',
    when: 'a passport or a delegation was revoked',
    ref: 'the passport, the delegation',
  },
} as const satisfies Readonly<Record<number, ProofKindRow>>;

/** The number of a kind of proof. */
export type ProofKind = keyof typeof PROOF_KINDS;

/** Checks whether a number is a kind of proof. */
export function isProofKind(kind: number): kind is ProofKind {
  return Object.hasOwn(PROOF_KINDS, kind);
}
