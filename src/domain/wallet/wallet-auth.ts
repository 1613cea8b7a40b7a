import type { WalletCall } from '../escrow/work-board.ts';

/** A request with a wallet signature. */
export interface SignedRequest {
  readonly method: string;
  /** With its query, as received. */
  readonly path: string;
  readonly body: Uint8Array;
  /** The `stoa-wallet` header: base64url of `{address, origin, nonce, expires_at, signature}`. */
  readonly header: string | undefined;
  /** Attribution tag of the query, recorded on changes. */
  readonly src?: string;
}

/**
 * Authenticates the wallet of a request by its EIP-712 signature over origin, method, path, body
 * hash, nonce and expiry. A repeat of the same signed request is the same call.
 */
export interface WalletAuth {
  /**
   * @throws {AppError} `WALLET_REQUIRED`, `WALLET_ORIGIN`, `WALLET_FORGED`, `WALLET_EXPIRED`,
   * `WALLET_NONCE_USED` if another request used the nonce, `CHAIN_UNAVAILABLE` for contract wallets
   */
  prove(request: SignedRequest): Promise<WalletCall>;
}
