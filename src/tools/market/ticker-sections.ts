import type { Services } from '../../actors/common/services.ts';
import type { Clock } from '../../domain/common/clock.ts';
import { hashJson } from '../../domain/common/hash.ts';
import type { DataFailure } from '../../domain/data/data-failure.ts';
import { iterateValues } from '../../domain/data/envelope.ts';
import type { SourceList } from '../../domain/data/source.ts';
import { toCandleTable } from '../../domain/market/candle-table.ts';
import { CANDLE_INTERVALS } from '../../domain/market/candles.ts';
import type { ArbitrageReport } from '../../domain/market/report/arbitrage-report.ts';
import type { HistoryWithCandles } from '../../domain/market/report/comprehensive-report.ts';
import type { VolatilityReport } from '../../domain/market/report/volatility-report.ts';
import { MARKET_VENUES } from '../../domain/market/venue/venues.ts';
import type { Part, PartOrder } from './analysis-parts.ts';
import { analyzeHistory, STUDIES } from './analyze-history.ts';
import { type CandleSeries, readSeries } from './candle-series.ts';
import { compareBooks } from './compare-books.ts';
import {
  measureVolatility,
  USUAL_INTERVALS,
  type VolatilityOrder,
  WINDOW_LENGTHS,
} from './measure-volatility.ts';
import { selectVenues } from './select-venues.ts';

type Ports = Pick<Services, 'clock' | 'markets'>;

/** Computes volatility over a window from the first exchange with its candles. */
export async function readVolatility(
  { window, ...order }: PartOrder & Pick<VolatilityOrder, 'window'>,
  deps: Ports,
): Promise<Part<VolatilityReport>> {
  const interval = USUAL_INTERVALS[window];
  const estimator = 'close_to_close';
  const series = await readLatestSeries(
    { ...order, interval, lengthMs: WINDOW_LENGTHS[window] },
    deps,
  );
  const asked = { pair: order.pair, window, interval, estimator, thresholds: [] } as const;
  const facts = sourceFacts(series, order.sources, deps.clock);
  return toCandlePart('volatility:candles', series, measureVolatility(asked, series, facts));
}

/** Analyzes history from the first exchange with its candles; the result includes the candles. */
export async function readHistory(
  { lengthMs, ...order }: PartOrder & { readonly lengthMs: number },
  deps: Ports,
): Promise<Part<HistoryWithCandles>> {
  const stretch = { ...latestRange('1d', lengthMs, deps.clock), interval: '1d' } as const;
  const series = await readLatestSeries({ ...order, interval: '1d', lengthMs }, deps);
  const asked = { pair: order.pair, ...stretch, studies: STUDIES };
  const facts = sourceFacts(series, order.sources, deps.clock);
  const report = analyzeHistory(asked, series, facts);
  const made =
    'retryable' in report
      ? report
      : { ...report, candles: toCandleTable(series.found?.candles ?? [], facts.ids) };
  return toCandlePart('history:candles', series, made);
}

/** Computes spreads between all exchanges that quote the pair, for a size. */
export async function readArbitrage(
  { sources, ...order }: PartOrder & { readonly size: string },
  deps: Ports,
): Promise<Part<ArbitrageReport>> {
  const venues = selectVenues(order.pair, MARKET_VENUES, []);
  const size = { size_quote: order.size, fee_bps: {}, max_skew_ms: SKEW_MAX_MS };
  const { report, faults } = await compareBooks({ ...order, ...size, venues }, deps, sources);
  const used = new Set(report?.venues.map(({ venue }) => venue) ?? []);
  return {
    made: report,
    faults,
    asked: venues.map((venue) => `book:${venue}`),
    missing: venues.filter((venue) => !used.has(venue)).map((venue) => `book:${venue}`),
  };
}

/** Converts a part to a section with its missing items and sources. */
export function toSection<Made>({ made, faults, asked, missing }: Part<Made>) {
  const isPartial = missing.length > 0;
  const cited = made === null ? [] : [...iterateValues(made)].flatMap(({ sources }) => sources);
  return {
    status:
      made === null ? ('none' as const) : isPartial ? ('partial' as const) : ('full' as const),
    missing: [...(made === null ? asked : missing)],
    faults: [...faults],
    sources: [...new Set(cited)],
    sha256: made === null ? null : hashJson(made),
    report: made,
  };
}

/** Maximum time between two compared order books, in milliseconds. */
const SKEW_MAX_MS = 2_000;

type SeriesOrder = PartOrder & {
  readonly interval: keyof typeof CANDLE_INTERVALS;
  readonly lengthMs: number;
};

function readLatestSeries(
  { pair, interval, lengthMs, deadline }: SeriesOrder,
  { markets, clock }: Ports,
): Promise<CandleSeries> {
  const stretch = latestRange(interval, lengthMs, clock);
  const venues = selectVenues(pair, MARKET_VENUES, []);
  return readSeries(markets, venues, { pair, interval, deadline, ...stretch });
}

/** Returns the latest range of whole candles, in milliseconds. */
function latestRange(interval: keyof typeof CANDLE_INTERVALS, lengthMs: number, clock: Clock) {
  const candleMs = CANDLE_INTERVALS[interval];
  const to = Math.floor(clock.now() / candleMs) * candleMs;
  return { from: to - lengthMs, to };
}

function sourceFacts({ found }: CandleSeries, sources: SourceList, clock: Clock) {
  return { ids: found?.sources.map((one) => sources.assignId(one)) ?? [], now: clock.now() };
}

function toCandlePart<Made extends object>(
  name: string,
  { faults }: CandleSeries,
  made: Made | DataFailure,
): Part<Made> {
  if ('retryable' in made) {
    return { made: null, faults: [...faults, made], asked: [name], missing: [name] };
  }
  return { made, faults, asked: [name], missing: [] };
}
