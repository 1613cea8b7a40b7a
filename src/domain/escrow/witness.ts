/** Facts about a released job that a witness sees. */
export interface WitnessedJob {
  readonly funding: 'escrow' | 'on_release';
  readonly deliveredAtS: number | null;
  readonly fulfilByS: number;
  /** Hash that was delivered, and hash of the stored bytes. */
  readonly deliverableSha: string | null;
  readonly keptSha: string | null;
  readonly wasDisputed: boolean;
  readonly verdict: 'provider' | 'buyer' | null;
}

/** A score from 0 to 100 with its parts. */
export interface WitnessScore {
  readonly score: number;
  readonly parts: {
    readonly in_time: number;
    readonly hash_matches: number;
    readonly undisputed: number;
  };
}

/** Maximum points per fact. */
export const WITNESS_PARTS = { inTime: 40, hashMatches: 40, undisputed: 20 } as const;

/**
 * Scores a release by facts: delivered in time (40), stored bytes match the delivered hash (40),
 * never disputed (20; 10 if the dispute was withdrawn or decided for the provider). The score does
 * not measure quality.
 */
export function computeWitnessScore(job: WitnessedJob): WitnessScore {
  const { deliveredAtS, fulfilByS, deliverableSha, keptSha, wasDisputed, verdict } = job;
  const isInTime = deliveredAtS !== null && deliveredAtS <= fulfilByS;
  const isKept = deliverableSha !== null && deliverableSha === keptSha;
  const parts = {
    in_time: isInTime ? WITNESS_PARTS.inTime : 0,
    hash_matches: isKept ? WITNESS_PARTS.hashMatches : 0,
    undisputed: scoreUndisputed(wasDisputed, verdict),
  };
  return { score: parts.in_time + parts.hash_matches + parts.undisputed, parts };
}

/** Tiers of evidence, strongest first. */
export const EVIDENCE_TIERS = ['on_chain', 'witnessed', 'stated', 'none'] as const;
/** One of the {@link EVIDENCE_TIERS}. */
export type EvidenceTier = (typeof EVIDENCE_TIERS)[number];

/**
 * Classifies the evidence of a completion: a hash on the chain with stored bytes, bytes that only
 * this server has seen, a hash without bytes, or none.
 */
export function classifyEvidence(job: WitnessedJob): EvidenceTier {
  const { deliverableSha, keptSha, funding } = job;
  if (deliverableSha === null) return 'none';
  if (deliverableSha !== keptSha) return 'stated';
  return funding === 'escrow' ? 'on_chain' : 'witnessed';
}

function scoreUndisputed(wasDisputed: boolean, verdict: WitnessedJob['verdict']): number {
  if (!wasDisputed) return WITNESS_PARTS.undisputed;
  return verdict === 'buyer' ? 0 : WITNESS_PARTS.undisputed / 2;
}
