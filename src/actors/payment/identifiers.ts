import { AppError } from '../../domain/common/error.ts';
import { PAYMENT_IDENTIFIER_EXTENSION } from '../../domain/payment/payment.ts';
import type { ClaimedPayment, PaymentIds } from '../../domain/payment/payment-ids.ts';
import type { ActorEngine } from '../../runtime/engine/types.ts';
import { findPayment } from './record.ts';

/**
 * Holds each payment identifier to the payment and the call that it came with first. One that was
 * refused before any money moved sets its identifier free again.
 */
export class Identifiers {
  readonly #ids: PaymentIds;
  readonly #engine: ActorEngine;
  /** Identifiers of payments that are being decided, with their fingerprints. */
  readonly #deciding = new Map<string, string>();

  constructor(ids: PaymentIds, engine: ActorEngine) {
    this.#ids = ids;
    this.#engine = engine;
  }

  /**
   * Looks who holds an identifier.
   *
   * @returns A claim that came to nothing and may be taken over, if there is one.
   * @throws {AppError} `PAYMENT_CONFLICT` for one that stands for anything else.
   */
  async vacant(claimed: ClaimedPayment | null): Promise<ClaimedPayment | undefined> {
    const held = claimed === null ? undefined : this.#heldByOther(claimed, undefined);
    if (held === undefined) return undefined;
    const payment = await findPayment(this.#engine, held.paymentId);
    const isOver = payment === undefined || CAME_TO_NOTHING.includes(payment.state);
    if (!isOver) throw conflict();
    return held;
  }

  /**
   * Takes an identifier for a decision, at once: nothing comes between the last look and this.
   *
   * @throws {AppError} `PAYMENT_CONFLICT` when somebody else has it by now.
   */
  take(claimed: ClaimedPayment | null, vacant: ClaimedPayment | undefined): void {
    if (claimed === null) return;
    if (this.#heldByOther(claimed, vacant) !== undefined) throw conflict();
    this.#deciding.set(makeIdentifierKey(claimed), claimed.fingerprint);
  }

  /** Resolves when the disk has it; before that no payment may be opened. */
  async keep(claimed: ClaimedPayment | null, now: number): Promise<void> {
    if (claimed === null) return;
    if (this.#ids.find(claimed)?.fingerprint === claimed.fingerprint) return;
    await this.#ids.keep(claimed, now);
  }

  /** Ends what `take` began. */
  leave(claimed: ClaimedPayment | null): void {
    if (claimed !== null) this.#deciding.delete(makeIdentifierKey(claimed));
  }

  /** Sets an identifier free whose payment left nothing behind. */
  async free(claimed: ClaimedPayment | null): Promise<void> {
    if (claimed !== null) await this.#ids.forget(claimed);
  }

  #heldByOther(
    claimed: ClaimedPayment,
    vacant: ClaimedPayment | undefined,
  ): ClaimedPayment | undefined {
    const deciding = this.#deciding.get(makeIdentifierKey(claimed));
    if (deciding !== undefined && deciding !== claimed.fingerprint) throw conflict();
    const held = this.#ids.find(claimed);
    const isOther = held !== undefined && held.fingerprint !== claimed.fingerprint;
    return isOther && held.fingerprint !== vacant?.fingerprint ? held : undefined;
  }
}

const CAME_TO_NOTHING: readonly string[] = ['refused', 'failed'];

function makeIdentifierKey({ payer, identifierHash }: ClaimedPayment): string {
  return `${payer} ${identifierHash}`;
}

function conflict(): AppError {
  return new AppError('PAYMENT_CONFLICT', {
    message: 'The payment identifier stands for another payment or call; nothing was charged.',
    data: {
      received: PAYMENT_IDENTIFIER_EXTENSION,
      allowed: 'a new identifier for each payment; the same one with the very same call',
    },
  });
}
