/**
 * The 15 kinds of proof. 30014 is from the specification; the other numbers are ours, because
 * public lists contradict each other.
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

/** The number of a kind of proof. */
export type ProofKind = keyof typeof PROOF_KINDS;

/** Checks whether a number is a kind of proof. */
export function isProofKind(kind: number): kind is ProofKind {
  return Object.hasOwn(PROOF_KINDS, kind);
}
