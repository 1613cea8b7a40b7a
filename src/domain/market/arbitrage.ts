import { formatDecimal, PLACES_MAX, parseDecimal } from '../common/decimal.ts';
import type { BookLevel, OrderBook } from './order-book.ts';

const ONE = 10n ** BigInt(PLACES_MAX);
/** Basis points per unit. */
const BPS = 10_000n;
/** Decimal places of basis points. */
const BPS_PLACES = 4n;

/** Result of buying at one venue and selling at another for a given size. Decimals as text. */
export interface ArbitrageFill {
  /** Average price paid and received. */
  readonly entry: string;
  readonly exit: string;
  /** Amount of base traded on both sides. */
  readonly base: string;
  /** Quote spent and received, before fees. */
  readonly spent: string;
  readonly received: string;
  readonly isComplete: boolean;
  readonly asksUsed: number;
  readonly bidsUsed: number;
  readonly grossBps: string;
}

/**
 * Walks both order books level by level until the size is spent or one side is exhausted.
 *
 * @param size - Quote to spend, a decimal above zero.
 * @returns `undefined` if the books hold less than the smallest amount.
 */
export function walkBooks(
  buy: Pick<OrderBook, 'asks'>,
  sell: Pick<OrderBook, 'bids'>,
  size: string,
): ArbitrageFill | undefined {
  const limit = parseDecimal(size);
  const [asks, bids] = [new BookSide(buy.asks), new BookSide(sell.bids)];
  let [base, spent, received] = [0n, 0n, 0n];
  while (spent < limit && asks.hasLevels && bids.hasLevels) {
    const affordableBase = ((limit - spent) * ONE) / asks.price;
    const amount = minOf(asks.remaining, bids.remaining, affordableBase);
    if (amount === 0n) break;
    base += amount;
    // Rounds against the caller: amounts paid up, amounts received down.
    spent += divideUp(amount * asks.price, ONE);
    received += (amount * bids.price) / ONE;
    asks.consume(amount);
    bids.consume(amount);
  }
  if (base === 0n || received === 0n) return undefined;
  const [entry, exit] = [divideUp(spent * ONE, base), (received * ONE) / base];
  return {
    entry: formatDecimal(entry),
    exit: formatDecimal(exit),
    base: formatDecimal(base),
    spent: formatDecimal(spent),
    received: formatDecimal(received),
    isComplete: limit - spent <= divideUp(asks.lastPrice, ONE),
    asksUsed: asks.levelsUsed,
    bidsUsed: bids.levelsUsed,
    grossBps: toBps(received - spent, spent),
  };
}

/**
 * Returns the spread after fees on both sides, in basis points of the amount spent. It never
 * exceeds the gross spread.
 *
 * @param fees - Taker fees of both venues in basis points, zero or more.
 */
export function computeNetBps(
  crossing: Pick<ArbitrageFill, 'spent' | 'received'>,
  { buy, sell }: { readonly buy: string; readonly sell: string },
): string {
  const [spent, got] = [parseDecimal(crossing.spent), parseDecimal(crossing.received)];
  const paid = spent + computeFee(spent, buy);
  const kept = got - computeFee(got, sell);
  return toBps(kept - paid, spent);
}

/** One side of an order book, consumed from its best price. */
class BookSide {
  readonly #levels: readonly { readonly price: bigint; readonly size: bigint }[];
  #level = 0;
  #consumed = 0n;

  constructor(levels: readonly BookLevel[]) {
    this.#levels = levels.map(({ price, size }) => ({
      price: parseDecimal(price),
      size: parseDecimal(size),
    }));
  }

  get hasLevels(): boolean {
    return this.#level < this.#levels.length;
  }

  get price(): bigint {
    return this.#levels[this.#level]?.price ?? 0n;
  }

  /** Price of the current level, or of the last one if the side is exhausted. */
  get lastPrice(): bigint {
    return (this.#levels[this.#level] ?? this.#levels.at(-1))?.price ?? 0n;
  }

  get remaining(): bigint {
    return (this.#levels[this.#level]?.size ?? 0n) - this.#consumed;
  }

  /** Number of levels that were at least partly consumed. */
  get levelsUsed(): number {
    return this.#level + (this.#consumed > 0n ? 1 : 0);
  }

  consume(part: bigint): void {
    this.#consumed += part;
    if (this.remaining > 0n) return;
    this.#level += 1;
    this.#consumed = 0n;
  }
}

function computeFee(amount: bigint, feeBps: string): bigint {
  return divideUp(amount * parseDecimal(feeBps), BPS * ONE);
}

/** Returns a ratio in basis points, rounded down. */
function toBps(part: bigint, divisor: bigint): string {
  const scaled = part * BPS * 10n ** BPS_PLACES;
  const cut = scaled / divisor - (scaled % divisor < 0n ? 1n : 0n);
  return formatDecimal(cut * 10n ** (BigInt(PLACES_MAX) - BPS_PLACES));
}

function divideUp(dividend: bigint, whole: bigint): bigint {
  return (dividend + whole - 1n) / whole;
}

function minOf(first: bigint, ...others: readonly bigint[]): bigint {
  let lowest = first;
  for (const one of others) if (one < lowest) lowest = one;
  return lowest;
}
