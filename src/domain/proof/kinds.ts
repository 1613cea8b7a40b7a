/**
 * The 15 kinds of proof. 30014 is the specification's; the numbering of the others is ours, as
 * public lists of such kinds contradict each other.
 */
export const PROOF_KINDS = {
  30010: 'ProofOfPresence',
  30011: 'ProofOfAttestation',
  30012: 'ProofOfBelonging',
  30013: 'ProofOfWitness',
  30014: 'ProofOfDelegation',
  30015: 'ProofOfCompute',
  30016: 'ProofOfService',
  30017: 'ProofOfReputation',
  30018: 'ProofOfAuditReport',
  30019: 'ProofOfDeployment',
  30020: 'ProofOfSettlement',
  30021: 'ProofOfAdjudication',
  30022: 'ProofOfResearch',
  30023: 'ProofOfConsensus',
  30024: 'ProofOfRevocation',
} as const;

/** Number of a kind of proof. */
export type ProofKind = keyof typeof PROOF_KINDS;

/** Tells whether a number is a kind of proof. */
export function isProofKind(kind: number): kind is ProofKind {
  return Object.hasOwn(PROOF_KINDS, kind);
}
