/** An identifier that a payer made, with the payment and the call that it came with first. */
export interface ClaimedPayment {
  /** Lower case: an identifier belongs to its payer, so that nobody else can take it. */
  readonly payer: string;
  /** SHA-256 of the identifier. */
  readonly identifierHash: string;
  readonly paymentId: string;
  /** Of the whole payment and its call; equal fingerprints are the same presentation. */
  readonly fingerprint: string;
}

/** Remembers which payment each identifier of a payer stands for. */
export interface PaymentIds {
  /** What the identifier stands for, if anything. Answers at once: nothing may come in between. */
  find(of: Pick<ClaimedPayment, 'payer' | 'identifierHash'>): ClaimedPayment | undefined;
  /**
   * Has an identifier stand for a payment from now on; resolves when the disk has it.
   *
   * @param now - Milliseconds; what has been kept long enough by then is forgotten.
   */
  keep(claimed: ClaimedPayment, now: number): Promise<void>;
  /** Forgets an identifier, unless it stands for another payment by now. */
  forget(claimed: Omit<ClaimedPayment, 'fingerprint'>): Promise<void>;
}
