import { parseDecimal } from '../common/decimal.ts';

/** What is offered or wanted at one price. Decimals in the pair's currencies. */
export interface BookLevel {
  readonly price: string;
  /** In units of the base. */
  readonly size: string;
}

/** What a venue has on offer of a pair, the best first on both sides. */
export interface OrderBook {
  readonly venue: string;
  readonly bids: readonly BookLevel[];
  readonly asks: readonly BookLevel[];
  /** Milliseconds. */
  readonly asOf: number;
  readonly asOfKind: 'upstream_event' | 'received';
}

/** Levels of a side that are kept. */
export const BOOK_LEVELS_MAX = 100;

/**
 * Puts both sides in order, the best first, without levels that are empty.
 *
 * @returns `undefined` when a side is empty, a figure is below zero, a price is zero, or the best
 * bid is above the best ask.
 */
export function soundSides(sides: {
  readonly bids: readonly BookLevel[];
  readonly asks: readonly BookLevel[];
}): Pick<OrderBook, 'bids' | 'asks'> | undefined {
  const all = [...sides.bids, ...sides.asks];
  const isOff = all.some(({ price, size }) => parseDecimal(price) <= 0n || parseDecimal(size) < 0n);
  const bids = ordered(sides.bids, (one, other) => one > other);
  const asks = ordered(sides.asks, (one, other) => one < other);
  const [bid, ask] = [bids[0], asks[0]];
  if (isOff || bid === undefined || ask === undefined) return undefined;
  if (parseDecimal(bid.price) > parseDecimal(ask.price)) return undefined;
  return { bids: bids.slice(0, BOOK_LEVELS_MAX), asks: asks.slice(0, BOOK_LEVELS_MAX) };
}

function ordered(
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
