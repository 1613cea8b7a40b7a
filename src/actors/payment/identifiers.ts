import { AppError } from '../../domain/common/error.ts';
import { PAYMENT_IDENTIFIER_EXTENSION } from '../../domain/payment/payment.ts';
import type { ClaimedPayment, PaymentIds } from '../../domain/payment/payment-ids.ts';
import type { ActorEngine } from '../../runtime/engine/types.ts';
import { findPayment } from './record.ts';

/**
 * Binds each payment identifier to the payment and call that used it first. A payment that is
 * refused before any money moves releases its identifier.
 */
export class PaymentIdentifiers {
  readonly #ids: PaymentIds;
  readonly #engine: ActorEngine;
  /** Identifiers of payments that are being processed, with their fingerprints. */
  readonly #deciding = new Map<string, string>();

  constructor(ids: PaymentIds, engine: ActorEngine) {
    this.#ids = ids;
    this.#engine = engine;
  }

  /**
   * Finds an earlier claim of an identifier that may be replaced.
   *
   * @returns A claim whose payment came to nothing; `undefined` if there is none.
   * @throws {AppError} `PAYMENT_CONFLICT` if the identifier belongs to another payment or call.
   */
  async findReplaceable(claim: ClaimedPayment | null): Promise<ClaimedPayment | undefined> {
    const held = claim === null ? undefined : this.#heldByOther(claim, undefined);
    if (held === undefined) return undefined;
    const payment = await findPayment(this.#engine, held.paymentId);
    const isOver = payment === undefined || TERMINAL_UNPAID.includes(payment.state);
    if (!isOver) throw conflictError();
    return held;
  }

  /**
   * Reserves an identifier. Runs synchronously, so that nothing happens between check and
   * reservation.
   *
   * @throws {AppError} `PAYMENT_CONFLICT` if another payment has claimed it meanwhile.
   */
  reserve(claimed: ClaimedPayment | null, replaceable: ClaimedPayment | undefined): void {
    if (claimed === null) return;
    if (this.#heldByOther(claimed, replaceable) !== undefined) throw conflictError();
    this.#deciding.set(makeIdentifierKey(claimed), claimed.fingerprint);
  }

  /** Stores the claim. Resolves when it is on disk; no payment may be created before that. */
  async storeClaim(claimed: ClaimedPayment | null, now: number): Promise<void> {
    if (claimed === null) return;
    if (this.#ids.find(claimed)?.fingerprint === claimed.fingerprint) return;
    await this.#ids.bind(claimed, now);
  }

  /** Releases the reservation of an identifier. */
  release(claimed: ClaimedPayment | null): void {
    if (claimed !== null) this.#deciding.delete(makeIdentifierKey(claimed));
  }

  /** Deletes the claim of a payment that left nothing behind. */
  async deleteClaim(claimed: ClaimedPayment | null): Promise<void> {
    if (claimed !== null) await this.#ids.remove(claimed);
  }

  #heldByOther(
    claimed: ClaimedPayment,
    vacant: ClaimedPayment | undefined,
  ): ClaimedPayment | undefined {
    const deciding = this.#deciding.get(makeIdentifierKey(claimed));
    if (deciding !== undefined && deciding !== claimed.fingerprint) throw conflictError();
    const held = this.#ids.find(claimed);
    const isOther = held !== undefined && held.fingerprint !== claimed.fingerprint;
    return isOther && held.fingerprint !== vacant?.fingerprint ? held : undefined;
  }
}

const TERMINAL_UNPAID: readonly string[] = ['refused', 'failed'];

function makeIdentifierKey({ payer, identifierHash }: ClaimedPayment): string {
  return `${payer} ${identifierHash}`;
}

function conflictError(): AppError {
  return new AppError('PAYMENT_CONFLICT', {
    message: 'The payment identifier belongs to another payment or call. You are not charged.',
    data: {
      received: PAYMENT_IDENTIFIER_EXTENSION,
      allowed: 'a new identifier for each payment; reuse one only to repeat the same call',
    },
  });
}
