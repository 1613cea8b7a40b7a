import { AppError } from '../../domain/common/error.ts';
import { MINUTE_MS } from '../../domain/common/time.ts';
import type { Orderer } from '../../domain/tool/tool.ts';
import type { ActorEngine } from '../../runtime/engine/types.ts';
import { findActor } from '../common/find-actor.ts';
import { type PaymentState, stateOf } from '../payment/record.ts';

/** How long a place is held before it is asked what became of its payment, in milliseconds. */
export const PLACE_HELD_MS = 2 * MINUTE_MS;

/** States of a payment that may still lead to its job. */
const MAY_PAY: readonly PaymentState[] = [
  'challenged',
  'verified',
  'settling',
  'unknown',
  'settled',
];

interface Place<T> {
  readonly value: T;
  readonly by: Orderer;
  at: number;
}

/** What places are held by. */
export interface OrderPlacesParts {
  readonly engine: Pick<ActorEngine, 'view'>;
  /** Places that one principal may hold at once: signatures of empty wallets cost nothing. */
  readonly perPrincipalMax: number;
}

/**
 * Places of orders that are not paid yet, in memory. A place is given back when its payment is
 * refused, taken by its job, or lapses; one whose payment may still settle is kept.
 */
export class OrderPlaces<T> {
  readonly #parts: OrderPlacesParts;
  readonly #places = new Map<string, Place<T>>();

  constructor(parts: OrderPlacesParts) {
    this.#parts = parts;
  }

  /** Places that are held. */
  get size(): number {
    return this.#places.size;
  }

  /** What the places are for. */
  values(): readonly T[] {
    return [...this.#places.values()].map(({ value }) => value);
  }

  /** Tells whether a place is held. */
  has(key: string): boolean {
    return this.#places.has(key);
  }

  /**
   * Takes a place.
   *
   * @returns What gives it back; without effect on a later holder.
   * @throws {AppError} `RATE_LIMITED` for a principal that holds too many.
   */
  take(key: string, { value, by }: Omit<Place<T>, 'at'>, now: number): () => void {
    const { perPrincipalMax: most } = this.#parts;
    const { kind, id } = by.principal;
    const held = [...this.#places.values()].filter(
      ({ by: { principal } }) => principal.kind === kind && principal.id === id,
    );
    if (held.length >= most) {
      throw new AppError('RATE_LIMITED', {
        message: `At most ${most} orders of one caller wait for payment. Nothing was charged.`,
        data: { limit: 'orders that wait for their payment', most },
      });
    }
    const place: Place<T> = { value, by, at: now };
    this.#places.set(key, place);
    return () => this.#drop(key, place);
  }

  /** Ends a place whose job is there. */
  end(key: string): void {
    this.#places.delete(key);
  }

  /** Drops the places that have lapsed; a payment that may still settle holds its own. */
  async sweep(now: number): Promise<void> {
    const late = [...this.#places].filter(([, { at }]) => at + PLACE_HELD_MS <= now);
    await Promise.all(
      late.map(async ([key, place]) => {
        if (await this.#mayPay(place.by.paymentId)) place.at = now;
        else this.#drop(key, place);
      }),
    );
  }

  #drop(key: string, place: Place<T>): void {
    if (this.#places.get(key) === place) this.#places.delete(key);
  }

  async #mayPay(paymentId: string): Promise<boolean> {
    const view = await findActor(this.#parts.engine, paymentId);
    return view?.status === 'active' && MAY_PAY.includes(stateOf(view));
  }
}
