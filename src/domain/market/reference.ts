import { formatDecimal, medianOf, parseDecimal } from '../common/decimal.ts';
import { SECOND_MS } from '../common/time.ts';

/** A quote further off the middle than this many median deviations is left out. */
export const OUTLIER_DEVIATIONS = 5n;
/**
 * A deviation from the middle that is always usual, in hundredths of a percent: where most venues
 * name one price to the cent, one a cent off is no outlier, and one 5 deviations off is.
 */
const DEVIATION_MIN_BPS = 50n;
/** How far ahead of our clock a venue's time may be, in milliseconds. */
export const AHEAD_MAX_MS = 5 * SECOND_MS;
/** Venues that a reference is made of at the least: one alone is that venue's price. */
export const REFERENCE_VENUES_MIN = 2;

/** What one venue says of a pair. Figures are decimals in the pair's currencies. */
export interface Quote {
  readonly venue: string;
  readonly last: string;
  readonly bid: string;
  readonly ask: string;
  /** Of a day, in units of the base. */
  readonly volume: string;
  /** Milliseconds. */
  readonly asOf: number;
  readonly asOfKind: 'upstream_event' | 'received';
}

/** Why a quote is not used. */
export type DropReason = 'stale' | 'ahead_of_clock' | 'outlier';

/** Why a quote cannot be used at this time; `undefined` when it can. */
export function agedOut(
  { asOf }: Pick<Quote, 'asOf'>,
  now: number,
  maxAgeMs: number,
): 'stale' | 'ahead_of_clock' | undefined {
  if (asOf > now + AHEAD_MAX_MS) return 'ahead_of_clock';
  return now - asOf > maxAgeMs ? 'stale' : undefined;
}

/**
 * Parts fresh quotes into those that agree and those that are far off the middle. Of two that
 * contradict each other nobody can tell which is right: neither is used.
 */
export function withoutOutliers<Priced extends Pick<Quote, 'last'>>(
  quotes: readonly Priced[],
): { readonly used: readonly Priced[]; readonly dropped: readonly Priced[] } {
  if (quotes.length < 2) return { used: quotes, dropped: [] };
  const middle = parseDecimal(medianOf(quotes.map(({ last }) => last)));
  const distance = ({ last }: Priced): bigint => {
    const off = parseDecimal(last) - middle;
    return off < 0n ? -off : off;
  };
  const measured = parseDecimal(medianOf(quotes.map((quote) => formatDecimal(distance(quote)))));
  const least = (middle * DEVIATION_MIN_BPS) / 10_000n;
  const usual = quotes.length === 2 || measured < least ? least : measured;
  const isFar = (quote: Priced) => distance(quote) > usual * OUTLIER_DEVIATIONS;
  return { used: quotes.filter((quote) => !isFar(quote)), dropped: quotes.filter(isFar) };
}

/**
 * The price at which half of the volume is reached, in order of price, or where that is the lowest
 * or the highest of three or more, the next one: however much volume a venue names, it alone makes
 * no price. Of two it is the mean. There is at least one.
 */
export function weightedMedian(quotes: readonly Pick<Quote, 'last' | 'volume'>[]): string {
  const sorted = quotes
    .map(({ last, volume }) => ({ last, price: parseDecimal(last), weight: parseDecimal(volume) }))
    .sort((one, other) => (one.price < other.price ? -1 : Number(one.price > other.price)));
  const whole = sorted.reduce((sum, { weight }) => sum + weight, 0n);
  if (whole === 0n || quotes.length < 3) return medianOf(quotes.map(({ last }) => last));
  let reached = 0n;
  const at = sorted.findIndex(({ weight }) => {
    reached += weight;
    return reached * 2n >= whole;
  });
  return sorted[Math.min(Math.max(at, 1), sorted.length - 2)]?.last ?? '0';
}

/** The distance from bid to ask in hundredths of a percent of the middle, two places. */
export function spreadBps({ bid, ask }: Pick<Quote, 'bid' | 'ask'>): string {
  const [low, high] = [parseDecimal(bid), parseDecimal(ask)];
  const hundredths = ((high - low) * 2n * 1_000_000n) / (low + high);
  return formatDecimal((hundredths * 10n ** 18n) / 100n);
}
