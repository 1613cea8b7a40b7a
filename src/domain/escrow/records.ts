/** The payer binding of a job, at rest: recorded, never blocking. */
export interface PayerStamp {
  readonly payer: string;
  readonly registeredWallet: string | null;
  readonly match: boolean | null;
}

/** A deliverable that was handed in. */
export interface HeldDeliverable {
  /** SHA-256 of the bytes, in hex. */
  readonly sha256: string;
  readonly mimeType: string;
  /** How many they are; 0 where that was not noted yet. */
  readonly bytes: number;
  /** Where the store of big texts has it. */
  readonly blobSha: string;
}

/** What a negotiation with sealed reserves would have led to: recorded, and acted on by nobody. */
export interface SealedNegotiation {
  /** SHA-256 over salt and reserve, in hex. */
  readonly commitment: string;
  /** `null` where the reserves do not meet. */
  readonly priceMicroUsd: string | null;
}

/** A bid at rest. */
export interface BidRecord {
  readonly bidId: string;
  readonly provider: string;
  readonly providerAgent: string | null;
  readonly priceMicroUsd: string;
  /** Where the store of big texts has the note. */
  readonly noteSha: string;
  /** Milliseconds. */
  readonly at: number;
  readonly isWithdrawn: boolean;
  readonly sealed: SealedNegotiation | null;
}
