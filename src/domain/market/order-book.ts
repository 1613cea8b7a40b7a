import { parseDecimal } from '../common/decimal.ts';

/** A price level of an order book. Decimals in the currencies of the pair. */
export interface BookLevel {
  readonly price: string;
  /** In units of the base. */
  readonly size: string;
}

/** The order book of a pair at a venue, best prices first on both sides. */
export interface OrderBook {
  readonly venue: string;
  readonly bids: readonly BookLevel[];
  readonly asks: readonly BookLevel[];
  /** Milliseconds since 1970. */
  readonly asOf: number;
  readonly asOfKind: 'upstream_event' | 'received';
}

/** Maximum number of stored levels per side. */
export const BOOK_LEVELS_MAX = 100;

/**
 * Sorts both sides, best price first, and drops empty levels.
 *
 * @returns `undefined` if a side is empty, a size is negative, a price is not positive, or the best
 * bid is above the best ask.
 */
export function validateSides(sides: {
  readonly bids: readonly BookLevel[];
  readonly asks: readonly BookLevel[];
}): Pick<OrderBook, 'bids' | 'asks'> | undefined {
  const all = [...sides.bids, ...sides.asks];
  const isInvalid = all.some(
    ({ price, size }) => parseDecimal(price) <= 0n || parseDecimal(size) < 0n,
  );
  const bids = sortLevels(sides.bids, (one, other) => one > other);
  const asks = sortLevels(sides.asks, (one, other) => one < other);
  const [bid, ask] = [bids[0], asks[0]];
  if (isInvalid || bid === undefined || ask === undefined) return undefined;
  if (parseDecimal(bid.price) > parseDecimal(ask.price)) return undefined;
  return { bids: bids.slice(0, BOOK_LEVELS_MAX), asks: asks.slice(0, BOOK_LEVELS_MAX) };
}

function sortLevels(
  levels: readonly BookLevel[],
  isBetter: (one: bigint, other: bigint) => boolean,
): readonly BookLevel[] {
  return levels
    .filter(({ size }) => parseDecimal(size) > 0n)
    .map((level) => ({ level, price: parseDecimal(level.price) }))
    .sort((one, other) => {
      if (one.price === other.price) return 0;
      return isBetter(one.price, other.price) ? -1 : 1;
    })
    .map(({ level }) => level);
}
