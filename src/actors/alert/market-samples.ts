import { type Measure, measureCandles, measureSpread } from '../../domain/alert/measures.ts';
import { failureToAppError } from '../../domain/alert/source-error.ts';
import type { AlertSubject } from '../../domain/alert/subject.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import type { UnnumberedSource } from '../../domain/data/source.ts';
import { CANDLE_INTERVALS } from '../../domain/market/candles.ts';
import type { MarketBooks, MarketCandles } from '../../domain/market/markets.ts';
import type { OrderBook } from '../../domain/market/order-book.ts';
import { findAgeProblem } from '../../domain/market/reference.ts';
import type { AlertReadInput, AlertSample } from '../../machines/alert/alert-context.ts';
import { noValueError, toAlertProof } from './source-error.ts';

/** Order books older than this are not compared, in milliseconds. */
export const BOOK_AGE_MS = 15 * SECOND_MS;

/** Clock and deadline of a source request, in Unix milliseconds. */
export interface ReadTime {
  now(): number;
  readonly deadline: number;
  readonly signal?: AbortSignal | undefined;
}

type Candles = Extract<AlertSubject, { readonly kind: 'candles' }>;
type Spread = Extract<AlertSubject, { readonly kind: 'spread' }>;

/**
 * Computes the sample of a candle alert from the newest complete candles.
 *
 * @throws {AppError} the exchange's error, or `EGRESS_FAILED` if the candles have no usable value
 */
export async function readCandlesSample(
  markets: MarketCandles,
  { pair, venue, candle }: Candles,
  ask: ReadTime & Pick<AlertReadInput, 'op' | 'windowMs'>,
): Promise<AlertSample> {
  const length = CANDLE_INTERVALS[candle];
  const { now, deadline, signal, op, windowMs } = ask;
  const to = Math.floor(now() / length) * length;
  // Request one extra candle, because the newest may not be published yet.
  const from = to - Math.max(windowMs, length) - length;
  const asked = { pair, venue, interval: candle, from, to, deadline, signal };
  const reading = await markets.candles(asked);
  if (!reading.ok) throw failureToAppError(reading.fault);
  const measure = measureCandles(reading.candles, { op, candle, windowMs });
  return createSample(measure, venue, reading.sources);
}

/**
 * Computes the best spread between order books. Every named exchange must answer.
 *
 * @throws {AppError} the first exchange's error, or `EGRESS_FAILED` if the books cannot be compared
 */
export async function readSpreadSample(
  markets: MarketBooks,
  subject: Spread,
  { now, deadline, signal }: ReadTime,
): Promise<AlertSample> {
  const { pair, between } = subject;
  const readings = await Promise.all(
    between.map(({ venue }) => markets.book({ venue, pair, deadline, signal })),
  );
  const books: OrderBook[] = [];
  const sources: UnnumberedSource[] = [];
  for (const reading of readings) {
    if (!reading.ok) throw failureToAppError(reading.fault);
    const { venue } = reading.value;
    if (findAgeProblem(reading.value, now(), BOOK_AGE_MS) !== undefined) {
      const detail = 'The order book is older than 15 s, or dated in the future.';
      throw noValueError(venue, detail);
    }
    books.push(reading.value);
    sources.push(reading.source);
  }
  const names = between.map(({ venue }) => venue).join('+');
  return createSample(measureSpread(books, subject), names, sources);
}

function createSample(
  measure: Measure,
  source: string,
  sources: readonly UnnumberedSource[],
): AlertSample {
  if ('lacking' in measure) throw noValueError(source, measure.lacking);
  return { ...measure, source, proof: sources.map(toAlertProof) };
}
