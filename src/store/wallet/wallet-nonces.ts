import { AppError } from '../../domain/common/error.ts';
import type { WalletNonce, WalletNonces } from '../../domain/wallet/wallet-nonces.ts';
import type { TrustStore } from '../chain/trust-store.ts';
import type { JsonTable } from '../common/json-table.ts';

/** Maximum nonces kept: more than the rate limits admit before they expire. */
export const WALLET_NONCES_MAX = 100_000;
/** Expired nonces removed per new one. */
const EXPIRED_BATCH = 100;

type NonceKey = [wallet: string, nonce: string];
type DueKey = [expiresAt: number, wallet: string, nonce: string];

interface NonceRow {
  readonly digest: string;
  readonly expiresAt: number;
}

/** Opens the nonces of signed requests in the trust environment. */
export function openWalletNonces(store: TrustStore): WalletNonces {
  return new LmdbWalletNonces(store);
}

class LmdbWalletNonces implements WalletNonces {
  readonly #store: TrustStore;
  readonly #nonces: JsonTable<NonceKey, NonceRow>;
  readonly #due: JsonTable<DueKey, null>;
  /** Nonces that are not on disk yet. */
  readonly #pending = new Map<string, { readonly digest: string; readonly kept: Promise<void> }>();

  constructor(store: TrustStore) {
    this.#store = store;
    this.#nonces = store.table('wallet-nonces');
    this.#due = store.table('wallet-nonces-due');
  }

  async bind(nonce: WalletNonce, now: number): Promise<string> {
    const key: NonceKey = [nonce.wallet, nonce.nonce];
    const name = key.join(' ');
    const pending = this.#pending.get(name);
    if (pending !== undefined) {
      await pending.kept;
      return pending.digest;
    }
    const known = this.#nonces.get(key);
    if (known !== undefined) return known.digest;
    const stored = this.#storeNonce(key, nonce, now).finally(() => this.#pending.delete(name));
    this.#pending.set(name, { digest: nonce.digest, kept: stored });
    await stored;
    return nonce.digest;
  }

  async #storeNonce(key: NonceKey, { digest, expiresAt }: WalletNonce, now: number): Promise<void> {
    const expired = this.#due.list({ end: [now, '', ''], limit: EXPIRED_BATCH });
    const count = this.#nonces.count() + this.#pending.size - expired.length;
    if (count >= WALLET_NONCES_MAX) {
      throw new AppError('OVERLOADED', {
        message: 'Too many unexpired signed requests. Nothing was accepted; retry later.',
        data: { received: count, allowed: WALLET_NONCES_MAX },
      });
    }
    await this.#store.environment.commit([
      this.#nonces.change(key, { digest, expiresAt }),
      this.#due.change([expiresAt, ...key], null),
      ...expired.flatMap(({ key: due }) => [
        this.#due.change(due),
        this.#nonces.change([due[1], due[2]]),
      ]),
    ]);
  }
}
