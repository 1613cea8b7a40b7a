import { formatDecimal, PLACES_MAX, parseDecimal } from '../common/decimal.ts';
import type { BookLevel, OrderBook } from './book.ts';

const ONE = 10n ** BigInt(PLACES_MAX);
/** Basis points per unit. */
const BPS = 10_000n;
/** Decimal places of basis points. */
const BPS_PLACES = 4n;

/** Result of buying at one venue and selling at another for a given size. Decimals as text. */
export interface Crossing {
  /** Average price paid and received. */
  readonly entry: string;
  readonly exit: string;
  /** Amount of base traded on both sides. */
  readonly base: string;
  /** Quote spent and received, before fees. */
  readonly spent: string;
  readonly got: string;
  readonly isWhole: boolean;
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
export function cross(
  buy: Pick<OrderBook, 'asks'>,
  sell: Pick<OrderBook, 'bids'>,
  size: string,
): Crossing | undefined {
  const limit = parseDecimal(size);
  const [asks, bids] = [new Side(buy.asks), new Side(sell.bids)];
  let [base, spent, got] = [0n, 0n, 0n];
  while (spent < limit && asks.isOpen && bids.isOpen) {
    const affordable = ((limit - spent) * ONE) / asks.price;
    const part = least(asks.left, bids.left, affordable);
    if (part === 0n) break;
    base += part;
    // Rounds against the caller: amounts paid up, amounts received down.
    spent += up(part * asks.price, ONE);
    got += (part * bids.price) / ONE;
    asks.take(part);
    bids.take(part);
  }
  if (base === 0n || got === 0n) return undefined;
  const [entry, exit] = [up(spent * ONE, base), (got * ONE) / base];
  return {
    ...{ entry: formatDecimal(entry), exit: formatDecimal(exit) },
    ...{ base: formatDecimal(base), spent: formatDecimal(spent) },
    got: formatDecimal(got),
    ...{ isWhole: limit - spent <= up(asks.last, ONE), asksUsed: asks.used, bidsUsed: bids.used },
    grossBps: bps(got - spent, spent),
  };
}

/**
 * Returns the spread after fees on both sides, in basis points of the amount spent. It never
 * exceeds the gross spread.
 *
 * @param fees - Taker fees of both venues in basis points, zero or more.
 */
export function netBps(
  crossing: Pick<Crossing, 'spent' | 'got'>,
  { buy, sell }: { readonly buy: string; readonly sell: string },
): string {
  const [spent, got] = [parseDecimal(crossing.spent), parseDecimal(crossing.got)];
  const paid = spent + feeOf(spent, buy);
  const kept = got - feeOf(got, sell);
  return bps(kept - paid, spent);
}

/** One side of an order book, consumed from its best price. */
class Side {
  readonly #levels: readonly { readonly price: bigint; readonly size: bigint }[];
  #at = 0;
  #taken = 0n;

  constructor(levels: readonly BookLevel[]) {
    this.#levels = levels.map(({ price, size }) => ({
      ...{ price: parseDecimal(price), size: parseDecimal(size) },
    }));
  }

  get isOpen(): boolean {
    return this.#at < this.#levels.length;
  }

  get price(): bigint {
    return this.#levels[this.#at]?.price ?? 0n;
  }

  /** Price of the current level, or of the last one if the side is exhausted. */
  get last(): bigint {
    return (this.#levels[this.#at] ?? this.#levels.at(-1))?.price ?? 0n;
  }

  get left(): bigint {
    return (this.#levels[this.#at]?.size ?? 0n) - this.#taken;
  }

  /** Number of levels that were at least partly consumed. */
  get used(): number {
    return this.#at + (this.#taken > 0n ? 1 : 0);
  }

  take(part: bigint): void {
    this.#taken += part;
    if (this.left > 0n) return;
    this.#at += 1;
    this.#taken = 0n;
  }
}

function feeOf(amount: bigint, feeBps: string): bigint {
  return up(amount * parseDecimal(feeBps), BPS * ONE);
}

/** Returns a ratio in basis points, rounded down. */
function bps(part: bigint, whole: bigint): string {
  const scaled = part * BPS * 10n ** BPS_PLACES;
  const cut = scaled / whole - (scaled % whole < 0n ? 1n : 0n);
  return formatDecimal(cut * 10n ** (BigInt(PLACES_MAX) - BPS_PLACES));
}

function up(part: bigint, whole: bigint): bigint {
  return (part + whole - 1n) / whole;
}

function least(first: bigint, ...others: readonly bigint[]): bigint {
  let lowest = first;
  for (const one of others) if (one < lowest) lowest = one;
  return lowest;
}
