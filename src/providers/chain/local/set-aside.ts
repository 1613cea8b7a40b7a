import { MINUTE_MS, SECOND_MS } from '../../../domain/common/time.ts';
import type { Authorization } from '../../../domain/payment/payment.ts';
import { authorizationKey } from '../../payment/authorization-key.ts';

/** How long the money of a checked payment is set aside before its settlement begins. */
export const SET_ASIDE_MS = 16 * MINUTE_MS;
/** Payments after which those whose time has passed are looked for and forgotten. */
const SWEEP_ROWS = 10_000;

interface Row {
  readonly authorization: Authorization;
  /** Milliseconds. */
  readonly until: number;
}

/**
 * Money of payers that payments under way will take. A balance alone is promised to as many
 * payments as look at it at one time. Lives in memory: after a restart each payment is counted
 * again when its settlement is tried again. `now` is in milliseconds.
 */
export class SetAside {
  readonly #rows = new Map<string, Map<string, Row>>();
  readonly #now: () => number;
  #size = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Counts a payment that was checked; one that is counted already stays as it is. */
  begin(authorization: Authorization): void {
    const isCounted = this.#own(authorization)?.has(authorizationKey(authorization)) === true;
    if (!isCounted) this.#put(authorization, this.#now() + SET_ASIDE_MS);
  }

  /** Counts a payment whose settlement is tried, until its authorization has run out. */
  hold(authorization: Authorization): void {
    this.#put(authorization, Number.POSITIVE_INFINITY);
  }

  /** Ends the count of a payment: its money has moved, or will not. */
  free(authorization: Authorization): void {
    const rows = this.#own(authorization);
    if (rows?.delete(authorizationKey(authorization)) !== true) return;
    this.#size -= 1;
    if (rows.size === 0) this.#rows.delete(authorization.from.toLowerCase());
  }

  /** The other payments of a payer that are under way. */
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

/** The sum of what payments will take, in micro-dollars. */
export function sumOf(payments: readonly Authorization[]): bigint {
  return payments.reduce((sum, { value }) => sum + BigInt(value), 0n);
}
