import { formatDecimal, PLACES_MAX, parseDecimal } from '../common/decimal.ts';
import type { BookLevel, OrderBook } from './book.ts';

const ONE = 10n ** BigInt(PLACES_MAX);
/** Hundredths of a percent in one. */
const BPS = 10_000n;
/** Places of basis points. */
const BPS_PLACES = 4n;

/** What buying at one venue and selling at another brings, for a size. Decimals as texts. */
export interface Crossing {
  /** Average price paid, and got. */
  readonly entry: string;
  readonly exit: string;
  /** Base that changes hands on both sides. */
  readonly base: string;
  /** Quote that is spent, and got, before fees. */
  readonly spent: string;
  readonly got: string;
  readonly isWhole: boolean;
  readonly asksUsed: number;
  readonly bidsUsed: number;
  readonly grossBps: string;
}

/**
 * Walks both books level by level until the size is spent or a side has no more.
 *
 * @param size - Quote to spend, a decimal above zero.
 * @returns `undefined` when the sides hold less than the smallest amount.
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
    // Rounded against the caller: up what is paid, down what is got.
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
 * What is left after fees on both sides, in basis points of what was spent; never more than gross.
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

/** One side of a book, from its best price on. */
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

  /** Price of the level that was reached, also when there are no more. */
  get last(): bigint {
    return (this.#levels[this.#at] ?? this.#levels.at(-1))?.price ?? 0n;
  }

  get left(): bigint {
    return (this.#levels[this.#at]?.size ?? 0n) - this.#taken;
  }

  /** Levels that something was taken from. */
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

/** A share in basis points, cut towards less. */
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
