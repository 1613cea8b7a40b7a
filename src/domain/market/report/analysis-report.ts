import { z } from 'zod';
import { Instant } from '../../data/source.ts';
import { DataValue } from '../../data/value.ts';
import { SentimentReport } from '../../sentiment/report.ts';
import { VenueQuote } from './report.ts';

const Count = z.int().nonnegative();

/** Current prices of a pair at exchanges. */
export const MarketNow = z.object({
  price: DataValue.describe('Median of last trades, weighted by daily volume.'),
  venues: z.array(z.string()),
  quotes: z.array(VenueQuote),
  dropped: z.array(
    z.object({ venue: z.string(), reason: z.enum(['stale', 'ahead_of_clock', 'outlier']) }),
  ),
});

/** Technical indicators of the candles of one exchange. */
const Technicals = z.object({
  venue: z.string(),
  interval: z.string(),
  candles: Count,
  candles_missing: Count.describe('Gaps are not filled; the indicators skip them.'),
  from: Instant,
  to: Instant,
  last_close: DataValue,
  change_pct: DataValue.describe('Change from the first to the last close.'),
  indicators: z.array(
    z.object({
      name: z.string(),
      params: z.string(),
      value: DataValue,
      signal: z.enum(['bullish', 'bearish', 'neutral']),
      rule: z.string(),
    }),
  ),
  too_few_candles_for: z.array(z.string()),
  signals: z.object({ bullish: Count, bearish: Count, neutral: Count }),
});

/** Report on a ticker. A section without data is null. */
export const AnalysisReport = z.object({
  ticker: z.string(),
  vs: z.string(),
  horizon: z.enum(['hours', 'days', 'weeks']),
  market: MarketNow.nullable().describe('null if fewer than two exchanges have a fresh quote.'),
  technicals: Technicals.nullable(),
  sentiment: SentimentReport.nullable().describe('null if no channel has a score.'),
});
/** Report on a ticker. */
export type AnalysisReport = z.infer<typeof AnalysisReport>;
