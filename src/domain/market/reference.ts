import { computeMedian, formatDecimal, parseDecimal } from '../common/decimal.ts';
import { SECOND_MS } from '../common/time.ts';

/** A quote further from the median than this many median deviations is an outlier. */
export const OUTLIER_DEVIATIONS = 5n;
/**
 * Minimum median deviation in basis points. It prevents one cent of difference from being an
 * outlier if most venues agree to the cent.
 */
const DEVIATION_MIN_BPS = 50n;
/** Maximum lead of a venue's clock over ours, in milliseconds. */
export const CLOCK_LEAD_MAX_MS = 5 * SECOND_MS;
/** Minimum number of venues in a reference price. A single one would only be that venue's price. */
export const REFERENCE_VENUES_MIN = 2;

/** The quote of one venue. Decimals in the currencies of the pair. */
export interface Quote {
  readonly venue: string;
  readonly last: string;
  readonly bid: string;
  readonly ask: string;
  /** Daily volume, in units of the base. */
  readonly volume: string;
  /** Milliseconds since 1970. */
  readonly asOf: number;
  readonly asOfKind: 'upstream_event' | 'received';
}

/** Why a quote is excluded. */
export type DropReason = 'stale' | 'ahead_of_clock' | 'outlier';

/** Returns why a quote is too old or too new; `undefined` if it is usable. */
export function findAgeProblem(
  { asOf }: Pick<Quote, 'asOf'>,
  now: number,
  maxAgeMs: number,
): 'stale' | 'ahead_of_clock' | undefined {
  if (asOf > now + CLOCK_LEAD_MAX_MS) return 'ahead_of_clock';
  return now - asOf > maxAgeMs ? 'stale' : undefined;
}

/**
 * Separates outliers from fresh quotes. If two quotes contradict each other, both are dropped
 * because neither can be trusted.
 */
export function splitOutliers<Priced extends Pick<Quote, 'last'>>(
  quotes: readonly Priced[],
): { readonly used: readonly Priced[]; readonly dropped: readonly Priced[] } {
  if (quotes.length < 2) return { used: quotes, dropped: [] };
  const median = parseDecimal(computeMedian(quotes.map(({ last }) => last)));
  const distance = ({ last }: Priced): bigint => {
    const off = parseDecimal(last) - median;
    return off < 0n ? -off : off;
  };
  const medianDeviation = parseDecimal(
    computeMedian(quotes.map((quote) => formatDecimal(distance(quote)))),
  );
  const minDeviation = (median * DEVIATION_MIN_BPS) / 10_000n;
  const deviation =
    quotes.length === 2 || medianDeviation < minDeviation ? minDeviation : medianDeviation;
  const isOutlier = (quote: Priced) => distance(quote) > deviation * OUTLIER_DEVIATIONS;
  return { used: quotes.filter((quote) => !isOutlier(quote)), dropped: quotes.filter(isOutlier) };
}

/**
 * Returns the volume-weighted median of at least one quote. Of three or more, the lowest and the
 * highest never win, so that no single venue sets the price by reporting a huge volume. Of two, it
 * is the mean.
 */
export function computeWeightedMedian(quotes: readonly Pick<Quote, 'last' | 'volume'>[]): string {
  const sorted = quotes
    .map(({ last, volume }) => ({ last, price: parseDecimal(last), weight: parseDecimal(volume) }))
    .sort((one, other) => (one.price < other.price ? -1 : Number(one.price > other.price)));
  const totalWeight = sorted.reduce((sum, { weight }) => sum + weight, 0n);
  if (totalWeight === 0n || quotes.length < 3) return computeMedian(quotes.map(({ last }) => last));
  let reached = 0n;
  const at = sorted.findIndex(({ weight }) => {
    reached += weight;
    return reached * 2n >= totalWeight;
  });
  return sorted[Math.min(Math.max(at, 1), sorted.length - 2)]?.last ?? '0';
}

/**
 * Returns the spread from bid to ask relative to the mid price, in basis points with two places.
 */
export function computeSpreadBps({ bid, ask }: Pick<Quote, 'bid' | 'ask'>): string {
  const [low, high] = [parseDecimal(bid), parseDecimal(ask)];
  const hundredths = ((high - low) * 2n * 1_000_000n) / (low + high);
  return formatDecimal((hundredths * 10n ** 18n) / 100n);
}
