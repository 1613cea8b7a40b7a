import { AppError } from '../../domain/common/error.ts';
import type { PricePoint, PriceSource } from '../../domain/market/price-source.ts';

/** What a test tells of a price: what it is, or that its source does not answer. */
export type ToldPrice = { readonly value: string; readonly asOf: number } | null;

/** Prices of a test server: those that were told, and the exchanges' for the others. */
export class ToldPrices {
  readonly #told = new Map<string, ToldPrice>();

  /** From now on this is what the venue answers about the pair. */
  tell({ pair, venue }: Pick<PricePoint, 'pair' | 'venue'>, price: ToldPrice): void {
    this.#told.set(`${venue} ${pair}`, price);
  }

  /** Puts what was told before what a source says. */
  before(source: PriceSource): PriceSource {
    return {
      price: async (order) => {
        const { pair, venue } = order;
        const told = this.#told.get(`${venue} ${pair}`);
        if (told === undefined) return source.price(order);
        if (told === null) {
          throw new AppError('EGRESS_TIMEOUT', { message: 'fault: the venue does not answer' });
        }
        return { pair, venue, ...told, asOfKind: 'upstream_event', sources: [venue] };
      },
    };
  }
}
