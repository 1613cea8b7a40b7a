import type { WalletCall } from '../escrow/work-board.ts';

/** A request that says which wallet it is from. */
export interface SignedRequest {
  readonly method: string;
  /** With its query, as it came. */
  readonly path: string;
  readonly body: Uint8Array;
  /** The `stoa-wallet` header: base64url of `{address, origin, nonce, expires_at, signature}`. */
  readonly header: string | undefined;
  /** Attribution tag of the query, recorded on what is changed. */
  readonly src?: string;
}

/**
 * Proves whose wallet asks, by its EIP-712 signature over origin, method, path, body hash,
 * nonce and expiry. The same signed request may come again: it is the same call.
 */
export interface WalletAuth {
  /**
   * @throws {AppError} `WALLET_REQUIRED`, `WALLET_ORIGIN`, `WALLET_FORGED`, `WALLET_EXPIRED`,
   * `WALLET_NONCE_USED` (the nonce was used for another request), `CHAIN_UNAVAILABLE` for contract
   * wallets
   */
  prove(request: SignedRequest): Promise<WalletCall>;
}
