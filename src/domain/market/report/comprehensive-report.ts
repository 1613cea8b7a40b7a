import { z } from 'zod';
import { DataFailure } from '../../data/data-failure.ts';
import { Completeness } from '../../data/envelope.ts';
import { Sha256 } from '../../data/source.ts';
import { SentimentReport } from '../../sentiment/report.ts';
import { CandleTable } from '../candle-table.ts';
import { MarketNow } from './analysis-report.ts';
import { ArbitrageReport } from './arbitrage-report.ts';
import { HistoryReport } from './history-report.ts';
import { VolatilityReport } from './volatility-report.ts';

/** Creates the schema of a section with its sources and missing data. */
function createSectionSchema<Report extends z.ZodType>(report: Report) {
  return z.object({
    status: Completeness,
    missing: z.array(z.string()).describe('Sources that were queried and did not respond.'),
    faults: z.array(DataFailure),
    sources: z.array(z.string()).describe('Ids of all cited sources.'),
    sha256: Sha256.nullable().describe('SHA-256 of the canonical JSON of the report.'),
    report: report.nullable(),
  });
}

/** Price history of a ticker with its candles. */
export const HistoryWithCandles = HistoryReport.extend({
  candles: CandleTable.describe('The candles that candles_sha256 covers.'),
});
/** Price history of a ticker with its candles. */
export type HistoryWithCandles = z.infer<typeof HistoryWithCandles>;

/** Report on a ticker, by section. */
export const ComprehensiveReport = z.object({
  ticker: z.string(),
  vs: z.string(),
  sections: z.object({
    price: createSectionSchema(MarketNow),
    volatility: createSectionSchema(VolatilityReport),
    history: createSectionSchema(HistoryWithCandles),
    arbitrage: createSectionSchema(ArbitrageReport),
    sentiment: createSectionSchema(SentimentReport),
  }),
});
/** Report on a ticker, by section. */
export type ComprehensiveReport = z.infer<typeof ComprehensiveReport>;
