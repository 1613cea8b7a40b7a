import { AppError } from '../../domain/common/error.ts';
import { MINUTE_MS } from '../../domain/common/time.ts';
import type { JobBuyer } from '../../domain/tool/tool.ts';
import type { ActorEngine } from '../../runtime/engine/types.ts';
import { findActor } from '../common/find-actor.ts';
import { type PaymentState, stateOf } from '../payment/record.ts';

/** How long an unpaid order keeps its slot before its payment is checked, in milliseconds. */
export const PENDING_ORDER_MS = 2 * MINUTE_MS;

/** Payment states from which a job can still be created. */
const SETTLEABLE_STATES: readonly PaymentState[] = [
  'challenged',
  'verified',
  'settling',
  'unknown',
  'settled',
];

interface PendingOrder<T> {
  readonly value: T;
  readonly by: JobBuyer;
  at: number;
}

/** Dependencies of the pending orders. */
export interface PendingOrdersDeps {
  readonly engine: Pick<ActorEngine, 'view'>;
  /** Maximum number of slots per principal, because signatures of empty wallets cost nothing. */
  readonly perPrincipalMax: number;
}

/**
 * Holds the slots of unpaid orders in memory. A slot is released when its payment is refused, its
 * job exists, or it expires. A slot whose payment may still settle is kept.
 */
export class PendingOrders<T> {
  readonly #parts: PendingOrdersDeps;
  readonly #orders = new Map<string, PendingOrder<T>>();

  constructor(parts: PendingOrdersDeps) {
    this.#parts = parts;
  }

  /** Number of reserved slots. */
  get size(): number {
    return this.#orders.size;
  }

  /** Returns the values of all reserved slots. */
  values(): readonly T[] {
    return [...this.#orders.values()].map(({ value }) => value);
  }

  /** Returns whether a key has a slot. */
  has(key: string): boolean {
    return this.#orders.has(key);
  }

  /**
   * Reserves a slot.
   *
   * @returns A function that releases this slot, but not one of a later holder.
   * @throws {AppError} `RATE_LIMITED` if the principal holds too many.
   */
  reserve(key: string, { value, by }: Omit<PendingOrder<T>, 'at'>, now: number): () => void {
    const { perPrincipalMax: maximum } = this.#parts;
    const { kind, id } = by.principal;
    const held = [...this.#orders.values()].filter(
      ({ by: { principal } }) => principal.kind === kind && principal.id === id,
    );
    if (held.length >= maximum) {
      throw new AppError('RATE_LIMITED', {
        message: `You have ${held.length} unpaid orders; at most ${maximum} are allowed.`,
        data: { limit: 'unpaid orders', most: maximum },
      });
    }
    const order: PendingOrder<T> = { value, by, at: now };
    this.#orders.set(key, order);
    return () => this.#drop(key, order);
  }

  /** Releases the slot of an order whose job exists. */
  remove(key: string): void {
    this.#orders.delete(key);
  }

  /** Releases expired slots, except those whose payment may still settle. */
  async sweep(now: number): Promise<void> {
    const late = [...this.#orders].filter(([, { at }]) => at + PENDING_ORDER_MS <= now);
    await Promise.all(
      late.map(async ([key, place]) => {
        if (await this.#paymentMayStillSettle(place.by.paymentId)) place.at = now;
        else this.#drop(key, place);
      }),
    );
  }

  #drop(key: string, place: PendingOrder<T>): void {
    if (this.#orders.get(key) === place) this.#orders.delete(key);
  }

  async #paymentMayStillSettle(paymentId: string): Promise<boolean> {
    const view = await findActor(this.#parts.engine, paymentId);
    return view?.status === 'active' && SETTLEABLE_STATES.includes(stateOf(view));
  }
}
