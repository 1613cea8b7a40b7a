import { AppError } from '../../domain/common/error.ts';
import type { PricePoint, PriceSource } from '../../domain/market/price-source.ts';

/** Prices that are told to it, for programs that have their own. */
export interface MemoryPrices extends PriceSource {
  /** Sets what is answered from now on; an error is thrown. */
  set(pair: string, venue: string, answer: Pick<PricePoint, 'value' | 'asOf'> | AppError): void;
}

/** Makes a source that knows what it was told, and no other pair. */
export function memoryPrices(): MemoryPrices {
  const known = new Map<string, Pick<PricePoint, 'value' | 'asOf'> | AppError>();
  return {
    set: (pair, venue, answer) => {
      known.set(`${venue} ${pair}`, answer);
    },
    price: async ({ pair, venue }) => {
      const answer = known.get(`${venue} ${pair}`);
      if (answer === undefined) {
        throw new AppError('INPUT_INVALID', {
          message: `${venue} has no price of ${pair}.`,
          data: { path: 'subject.pair', received: pair, allowed: [...known.keys()] },
        });
      }
      if (answer instanceof AppError) throw answer;
      const { value, asOf } = answer;
      return { pair, venue, value, asOf, asOfKind: 'upstream_event', sources: [venue] };
    },
  };
}
