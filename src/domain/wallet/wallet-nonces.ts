/** A wallet nonce and the request that used it. */
export interface WalletNonce {
  /** In lower case. */
  readonly wallet: string;
  /** In lower case. */
  readonly nonce: string;
  /** Digest of the request. Equal digests are the same request. */
  readonly digest: string;
  /** Expiry of the request, in milliseconds since 1970. */
  readonly expiresAt: number;
}

/** Stores which request used each nonce of a wallet. */
export interface WalletNonces {
  /**
   * Binds a nonce to its first request; resolves when it is on disk.
   *
   * @param now - Milliseconds since 1970. Expired nonces are removed.
   * @returns The digest that the nonce is bound to. A different one means that another request was
   * first.
   * @throws {AppError} `OVERLOADED` if too many nonces are stored; nothing is bound then.
   */
  bind(nonce: WalletNonce, now: number): Promise<string>;
}
