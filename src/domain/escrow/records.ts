/** Stored payer binding of a job: recorded, never blocking. */
export interface StoredPayerBinding {
  readonly payer: string;
  readonly registeredWallet: string | null;
  readonly match: boolean | null;
}

/** A submitted deliverable. */
export interface StoredDeliverable {
  /** SHA-256 of the bytes, in hex. */
  readonly sha256: string;
  readonly mimeType: string;
  /** Size in bytes; 0 in records written before this field existed. */
  readonly bytes: number;
  /** Hash of the deliverable in the blob store. */
  readonly blobSha: string;
}

/** Hypothetical outcome of a sealed negotiation: recorded without effect. */
export interface SealedNegotiation {
  /** SHA-256 over salt and reserve, in hex. */
  readonly commitment: string;
  /** `null` if budget and reserve do not overlap. */
  readonly priceMicroUsd: string | null;
}

/** A stored bid. */
export interface BidRecord {
  readonly bidId: string;
  readonly provider: string;
  readonly providerAgent: string | null;
  readonly priceMicroUsd: string;
  /** Hash of the note in the blob store. */
  readonly noteSha: string;
  /** Milliseconds. */
  readonly at: number;
  readonly isWithdrawn: boolean;
  readonly sealed: SealedNegotiation | null;
}
