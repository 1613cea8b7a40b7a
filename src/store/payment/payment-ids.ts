import { DAY_MS } from '../../domain/common/time.ts';
import type { ClaimedPayment, PaymentIds } from '../../domain/payment/payment-ids.ts';
import type { TrustStore } from '../chain/trust-store.ts';
import type { JsonTable } from '../common/json-table.ts';

/**
 * How long a payment identifier is kept, in milliseconds: longer than any payment that it
 * identifies (7 days of work and 30 days after its end).
 */
export const PAYMENT_IDS_KEPT_MS = 45 * DAY_MS;
/** Expired identifiers removed per new one. */
const EXPIRED_BATCH = 100;

type IdKey = [payer: string, identifierHash: string];
type DueKey = [dueAt: number, payer: string, identifierHash: string];

interface IdRow {
  readonly paymentId: string;
  readonly fingerprint: string;
  readonly dueAt: number;
}

/** Opens the payment identifiers in the trust environment. */
export function openPaymentIds(store: TrustStore): PaymentIds {
  return new LmdbPaymentIds(store);
}

class LmdbPaymentIds implements PaymentIds {
  readonly #store: TrustStore;
  readonly #ids: JsonTable<IdKey, IdRow>;
  readonly #due: JsonTable<DueKey, null>;

  constructor(store: TrustStore) {
    this.#store = store;
    this.#ids = store.table('payment-ids');
    this.#due = store.table('payment-ids-due');
  }

  find({ payer, identifierHash }: Pick<ClaimedPayment, 'payer' | 'identifierHash'>) {
    const row = this.#ids.get([payer, identifierHash]);
    if (row === undefined) return undefined;
    const { paymentId, fingerprint } = row;
    return { payer, identifierHash, paymentId, fingerprint };
  }

  async bind({ paymentId, fingerprint, ...payment }: ClaimedPayment, now: number): Promise<void> {
    const key: IdKey = [payment.payer, payment.identifierHash];
    const dueAt = now + PAYMENT_IDS_KEPT_MS;
    const before = this.#ids.get(key);
    const expired = this.#due.list({ end: [now, '', ''], limit: EXPIRED_BATCH });
    await this.#store.environment.commit([
      ...expired.flatMap(({ key: due }) => [
        this.#due.change(due),
        this.#ids.change([due[1], due[2]]),
      ]),
      ...(before === undefined ? [] : [this.#due.change([before.dueAt, ...key])]),
      this.#ids.change(key, { paymentId, fingerprint, dueAt }),
      this.#due.change([dueAt, ...key], null),
    ]);
  }

  async remove(claimed: Omit<ClaimedPayment, 'fingerprint'>): Promise<void> {
    const key: IdKey = [claimed.payer, claimed.identifierHash];
    const row = this.#ids.get(key);
    if (row?.paymentId !== claimed.paymentId) return;
    await this.#store.environment.commit([
      this.#ids.change(key),
      this.#due.change([row.dueAt, ...key]),
    ]);
  }
}
