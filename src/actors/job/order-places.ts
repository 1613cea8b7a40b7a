import { AppError } from '../../domain/common/error.ts';
import { MINUTE_MS } from '../../domain/common/time.ts';
import type { Orderer } from '../../domain/tool/tool.ts';
import type { ActorEngine } from '../../runtime/engine/types.ts';
import { findActor } from '../common/find-actor.ts';
import { type PaymentState, stateOf } from '../payment/record.ts';

/** How long an unpaid order keeps its slot before its payment is checked, in milliseconds. */
export const PLACE_HELD_MS = 2 * MINUTE_MS;

/** Payment states from which a job can still be created. */
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

/** Dependencies of the pending orders. */
export interface OrderPlacesParts {
  readonly engine: Pick<ActorEngine, 'view'>;
  /** Maximum number of slots per principal, because signatures of empty wallets cost nothing. */
  readonly perPrincipalMax: number;
}

/**
 * Holds the slots of unpaid orders in memory. A slot is released when its payment is refused, its
 * job exists, or it expires. A slot whose payment may still settle is kept.
 */
export class OrderPlaces<T> {
  readonly #parts: OrderPlacesParts;
  readonly #places = new Map<string, Place<T>>();

  constructor(parts: OrderPlacesParts) {
    this.#parts = parts;
  }

  /** Number of reserved slots. */
  get size(): number {
    return this.#places.size;
  }

  /** Returns the values of all reserved slots. */
  values(): readonly T[] {
    return [...this.#places.values()].map(({ value }) => value);
  }

  /** Returns whether a key has a slot. */
  has(key: string): boolean {
    return this.#places.has(key);
  }

  /**
   * Reserves a slot.
   *
   * @returns A function that releases this slot, but not one of a later holder.
   * @throws {AppError} `RATE_LIMITED` if the principal holds too many.
   */
  take(key: string, { value, by }: Omit<Place<T>, 'at'>, now: number): () => void {
    const { perPrincipalMax: most } = this.#parts;
    const { kind, id } = by.principal;
    const held = [...this.#places.values()].filter(
      ({ by: { principal } }) => principal.kind === kind && principal.id === id,
    );
    if (held.length >= most) {
      throw new AppError('RATE_LIMITED', {
        message: `You have ${held.length} unpaid orders; at most ${most} are allowed.`,
        data: { limit: 'unpaid orders', most },
      });
    }
    const place: Place<T> = { value, by, at: now };
    this.#places.set(key, place);
    return () => this.#drop(key, place);
  }

  /** Releases the slot of an order whose job exists. */
  end(key: string): void {
    this.#places.delete(key);
  }

  /** Releases expired slots, except those whose payment may still settle. */
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
