import { MINUTE_MS, SECOND_MS } from '../../../domain/common/time.ts';
import type { Authorization } from '../../../domain/payment/payment.ts';
import { authorizationKey } from '../../payment/authorization-key.ts';

/** How long funds are reserved between the check of a payment and its settlement. */
export const RESERVATION_MS = 16 * MINUTE_MS;
/** Payments after which expired reservations are removed. */
const SWEEP_ROWS = 10_000;

interface Reservation {
  readonly authorization: Authorization;
  /** Milliseconds since the Unix epoch. */
  readonly until: number;
}

/**
 * Reservations of payers' funds for pending payments. A balance alone would cover any number of
 * payments that are checked at the same time. Reservations live in memory: after a restart each
 * payment is counted again when its settlement is retried. `now` is in milliseconds.
 */
export class FundReservations {
  readonly #rows = new Map<string, Map<string, Reservation>>();
  readonly #now: () => number;
  #size = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Reserves funds for a checked payment. An existing reservation stays as it is. */
  reserve(authorization: Authorization): void {
    const isCounted = this.#ofPayer(authorization)?.has(authorizationKey(authorization)) === true;
    if (!isCounted) this.#put(authorization, this.#now() + RESERVATION_MS);
  }

  /** Reserves funds during a settlement, until the authorization expires. */
  hold(authorization: Authorization): void {
    this.#put(authorization, Number.POSITIVE_INFINITY);
  }

  /** Releases a reservation: the money has moved, or never will. */
  release(authorization: Authorization): void {
    const rows = this.#ofPayer(authorization);
    if (rows?.delete(authorizationKey(authorization)) !== true) return;
    this.#size -= 1;
    if (rows.size === 0) this.#rows.delete(authorization.from.toLowerCase());
  }

  /** Returns the payer's other pending payments. */
  othersOfPayer(authorization: Authorization): readonly Authorization[] {
    const key = authorizationKey(authorization);
    const rows = [...(this.#ofPayer(authorization) ?? [])].filter(([other]) => other !== key);
    return rows.flatMap(([, row]) => (this.#isExpired(row) ? [] : [row.authorization]));
  }

  #ofPayer({ from }: Authorization): Map<string, Reservation> | undefined {
    return this.#rows.get(from.toLowerCase());
  }

  #put(authorization: Authorization, most: number): void {
    const until = Math.min(most, Number(authorization.validBefore) * SECOND_MS);
    const payer = authorization.from.toLowerCase();
    const rows = this.#rows.get(payer) ?? new Map<string, Reservation>();
    this.#rows.set(payer, rows);
    const before = rows.size;
    rows.set(authorizationKey(authorization), { authorization, until });
    this.#size += rows.size - before;
    if (this.#size > 0 && this.#size % SWEEP_ROWS === 0) this.#sweep();
  }

  #sweep(): void {
    for (const rows of [...this.#rows.values()]) {
      for (const row of [...rows.values()])
        if (this.#isExpired(row)) this.release(row.authorization);
    }
  }

  #isExpired({ until }: Reservation): boolean {
    return until <= this.#now();
  }
}

/** Returns the sum of payments, in micro-dollars. */
export function sumPayments(payments: readonly Authorization[]): bigint {
  return payments.reduce((sum, { value }) => sum + BigInt(value), 0n);
}
