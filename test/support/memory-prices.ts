import { AppError } from '../../src/domain/common/error.ts';
import type { PricePoint, PriceSource } from '../../src/domain/market/price-source.ts';

/** A price source whose prices are set by the program. */
export interface MemoryPrices extends PriceSource {
  /** Sets the answer from now on. An error is thrown. */
  set(pair: string, venue: string, answer: Pick<PricePoint, 'value' | 'asOf'> | AppError): void;
}

/** Creates a source that knows only the prices that were set. */
export function createMemoryPrices(): MemoryPrices {
  const known = new Map<string, Pick<PricePoint, 'value' | 'asOf'> | AppError>();
  return {
    set: (pair, venue, answer) => {
      known.set(`${venue} ${pair}`, answer);
    },
    price: async ({ pair, venue }) => {
      const answer = known.get(`${venue} ${pair}`);
      if (answer === undefined) {
        throw new AppError('INPUT_INVALID', {
          message: `${venue} has no price for ${pair}.`,
          data: { path: 'subject.pair', received: pair, allowed: [...known.keys()] },
        });
      }
      if (answer instanceof AppError) throw answer;
      const { value, asOf } = answer;
      return { pair, venue, value, asOf, asOfKind: 'upstream_event', sources: [venue] };
    },
  };
}
