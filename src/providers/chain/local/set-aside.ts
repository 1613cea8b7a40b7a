import { MINUTE_MS, SECOND_MS } from '../../../domain/common/time.ts';
import type { Authorization } from '../../../domain/payment/payment.ts';
import { authorizationKey } from '../../payment/authorization-key.ts';

/** How long funds are reserved between the check of a payment and its settlement. */
export const SET_ASIDE_MS = 16 * MINUTE_MS;
/** Payments after which expired reservations are removed. */
const SWEEP_ROWS = 10_000;

interface Row {
  readonly authorization: Authorization;
  /** Milliseconds since the Unix epoch. */
  readonly until: number;
}

/**
 * Reservations of payers' funds for pending payments. A balance alone would cover any number of
 * payments that are checked at the same time. Reservations live in memory: after a restart each
 * payment is counted again when its settlement is retried. `now` is in milliseconds.
 */
export class SetAside {
  readonly #rows = new Map<string, Map<string, Row>>();
  readonly #now: () => number;
  #size = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Reserves funds for a checked payment. An existing reservation stays as it is. */
  begin(authorization: Authorization): void {
    const isCounted = this.#own(authorization)?.has(authorizationKey(authorization)) === true;
    if (!isCounted) this.#put(authorization, this.#now() + SET_ASIDE_MS);
  }

  /** Reserves funds during a settlement, until the authorization expires. */
  hold(authorization: Authorization): void {
    this.#put(authorization, Number.POSITIVE_INFINITY);
  }

  /** Releases a reservation: the money has moved, or never will. */
  free(authorization: Authorization): void {
    const rows = this.#own(authorization);
    if (rows?.delete(authorizationKey(authorization)) !== true) return;
    this.#size -= 1;
    if (rows.size === 0) this.#rows.delete(authorization.from.toLowerCase());
  }

  /** Returns the payer's other pending payments. */
  others(authorization: Authorization): readonly Authorization[] {
    const key = authorizationKey(authorization);
    const rows = [...(this.#own(authorization) ?? [])].filter(([other]) => other !== key);
    return rows.flatMap(([, row]) => (this.#isOver(row) ? [] : [row.authorization]));
  }

  #own({ from }: Authorization): Map<string, Row> | undefined {
    return this.#rows.get(from.toLowerCase());
  }

  #put(authorization: Authorization, most: number): void {
    const until = Math.min(most, Number(authorization.validBefore) * SECOND_MS);
    const payer = authorization.from.toLowerCase();
    const rows = this.#rows.get(payer) ?? new Map<string, Row>();
    this.#rows.set(payer, rows);
    const before = rows.size;
    rows.set(authorizationKey(authorization), { authorization, until });
    this.#size += rows.size - before;
    if (this.#size > 0 && this.#size % SWEEP_ROWS === 0) this.#sweep();
  }

  #sweep(): void {
    for (const rows of [...this.#rows.values()]) {
      for (const row of [...rows.values()]) if (this.#isOver(row)) this.free(row.authorization);
    }
  }

  #isOver({ until }: Row): boolean {
    return until <= this.#now();
  }
}

/** Returns the sum of payments, in micro-dollars. */
export function sumOf(payments: readonly Authorization[]): bigint {
  return payments.reduce((sum, { value }) => sum + BigInt(value), 0n);
}
