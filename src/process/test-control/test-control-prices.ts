import { AppError } from '../../domain/common/error.ts';
import type { PricePoint, PriceSource } from '../../domain/market/price-source.ts';

/** A price that a test sets, or `null` if its source does not respond. */
export type TestPrice = { readonly value: string; readonly asOf: number } | null;

/** Prices of a test server: those that tests set, and those of the exchanges otherwise. */
export class TestPrices {
  readonly #prices = new Map<string, TestPrice>();

  /** Sets the price that a venue reports for a pair from now on. */
  set({ pair, venue }: Pick<PricePoint, 'pair' | 'venue'>, price: TestPrice): void {
    this.#prices.set(`${venue} ${pair}`, price);
  }

  /** Wraps a source so that prices set by tests take precedence. */
  wrap(source: PriceSource): PriceSource {
    return {
      price: async (order) => {
        const { pair, venue } = order;
        const told = this.#prices.get(`${venue} ${pair}`);
        if (told === undefined) return source.price(order);
        if (told === null) {
          throw new AppError('EGRESS_TIMEOUT', { message: 'fault: the venue does not respond' });
        }
        return { pair, venue, ...told, asOfKind: 'upstream_event', sources: [venue] };
      },
    };
  }
}
