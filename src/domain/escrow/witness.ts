/** What a witness sees of a released job. */
export interface WitnessedJob {
  readonly funding: 'escrow' | 'on_release';
  readonly deliveredAtS: number | null;
  readonly fulfilByS: number;
  /** Hash that was delivered, and hash of the bytes that are kept here. */
  readonly deliverableSha: string | null;
  readonly keptSha: string | null;
  readonly wasDisputed: boolean;
  readonly verdict: 'provider' | 'buyer' | null;
}

/** A score from 0 to 100 with the facts that it is made of. */
export interface WitnessScore {
  readonly score: number;
  readonly parts: {
    readonly in_time: number;
    readonly hash_matches: number;
    readonly undisputed: number;
  };
}

/** What each fact counts at most. */
export const WITNESS_PARTS = { inTime: 40, hashMatches: 40, undisputed: 20 } as const;

/**
 * Scores a release by facts alone: delivered in time (40), the bytes that are kept have the hash
 * that was delivered (40), never disputed (20; 10 where the dispute was withdrawn or decided for
 * the provider). It says nothing about how good the work is.
 */
export function witnessScore(job: WitnessedJob): WitnessScore {
  const { deliveredAtS, fulfilByS, deliverableSha, keptSha, wasDisputed, verdict } = job;
  const isInTime = deliveredAtS !== null && deliveredAtS <= fulfilByS;
  const isKept = deliverableSha !== null && deliverableSha === keptSha;
  const parts = {
    in_time: isInTime ? WITNESS_PARTS.inTime : 0,
    hash_matches: isKept ? WITNESS_PARTS.hashMatches : 0,
    undisputed: undisputed(wasDisputed, verdict),
  };
  return { score: parts.in_time + parts.hash_matches + parts.undisputed, parts };
}

/** Tiers of evidence, from the strongest. */
export const EVIDENCE_TIERS = ['on_chain', 'witnessed', 'stated', 'none'] as const;
/** See {@link EVIDENCE_TIERS}. */
export type EvidenceTier = (typeof EVIDENCE_TIERS)[number];

/**
 * Classifies what there is to show for a completion: a hash on the chain whose bytes are kept,
 * bytes that only we have seen, a hash without bytes, or nothing.
 */
export function evidenceTier(job: WitnessedJob): EvidenceTier {
  const { deliverableSha, keptSha, funding } = job;
  if (deliverableSha === null) return 'none';
  if (deliverableSha !== keptSha) return 'stated';
  return funding === 'escrow' ? 'on_chain' : 'witnessed';
}

function undisputed(wasDisputed: boolean, verdict: WitnessedJob['verdict']): number {
  if (!wasDisputed) return WITNESS_PARTS.undisputed;
  return verdict === 'buyer' ? 0 : WITNESS_PARTS.undisputed / 2;
}
