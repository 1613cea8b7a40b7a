/** A payment identifier chosen by a payer, with its first payment and call. */
export interface ClaimedPayment {
  /** In lower case. An identifier is scoped to its payer, so that no one else can claim it. */
  readonly payer: string;
  /** SHA-256 of the identifier. */
  readonly identifierHash: string;
  readonly paymentId: string;
  /** Hash of the whole payment and its call. Equal fingerprints are the same presentation. */
  readonly fingerprint: string;
}

/** Stores which payment each identifier of a payer belongs to. */
export interface PaymentIds {
  /**
   * Returns the claim of an identifier, if any. Synchronous, so that no other claim can intervene.
   */
  find(of: Pick<ClaimedPayment, 'payer' | 'identifierHash'>): ClaimedPayment | undefined;
  /**
   * Binds an identifier to a payment; resolves when it is on disk.
   *
   * @param now - Milliseconds since 1970. Entries past their retention are removed.
   */
  bind(claimed: ClaimedPayment, now: number): Promise<void>;
  /** Removes an identifier unless it belongs to another payment by now. */
  remove(claimed: Omit<ClaimedPayment, 'fingerprint'>): Promise<void>;
}
