/** A nonce of a wallet with the request that it came with. */
export interface WalletNonce {
  /** Lower case. */
  readonly wallet: string;
  /** Lower case. */
  readonly nonce: string;
  /** Of the request; equal digests are the same request. */
  readonly digest: string;
  /** Until when a request with it may come, in milliseconds. */
  readonly expiresAt: number;
}

/** Remembers which request each nonce of a wallet came with. */
export interface WalletNonces {
  /**
   * Binds a nonce to a request, the first one to come; resolves when the disk has it.
   *
   * @param now - Milliseconds; what has expired by then is forgotten.
   * @returns The digest that the nonce is bound to: another one was there first.
   * @throws {AppError} `OVERLOADED` when too many are remembered; nothing was bound.
   */
  bind(nonce: WalletNonce, now: number): Promise<string>;
}
