import { z } from 'zod';
import { Completeness } from '../../data/envelope.ts';
import { DataFault } from '../../data/fault.ts';
import { Sha256 } from '../../data/source.ts';
import { SentimentReport } from '../../sentiment/report.ts';
import { CandleTable } from '../candle-table.ts';
import { MarketNow } from './analysis-report.ts';
import { ArbitrageReport } from './arbitrage-report.ts';
import { HistoryReport } from './history-report.ts';
import { VolatilityReport } from './volatility-report.ts';

/** A section with what it lacks and what it stands on. */
function sectionOf<Report extends z.ZodType>(report: Report) {
  return z.object({
    status: Completeness,
    missing: z.array(z.string()).describe('What was asked for it and did not answer.'),
    faults: z.array(DataFault),
    sources: z.array(z.string()).describe('Ids of all sources that its figures cite.'),
    sha256: Sha256.nullable().describe('Of the canonical JSON of its report.'),
    report: report.nullable(),
  });
}

/** The past of a ticker with the candles that it was made from. */
export const HistoryWithCandles = HistoryReport.extend({
  candles: CandleTable.describe('Those of candles_sha256.'),
});
/** See {@link HistoryWithCandles}. */
export type HistoryWithCandles = z.infer<typeof HistoryWithCandles>;

/** The answer about a ticker, section by section. */
export const ComprehensiveReport = z.object({
  ...{ ticker: z.string(), vs: z.string() },
  sections: z.object({
    price: sectionOf(MarketNow),
    volatility: sectionOf(VolatilityReport),
    history: sectionOf(HistoryWithCandles),
    arbitrage: sectionOf(ArbitrageReport),
    sentiment: sectionOf(SentimentReport),
  }),
});
/** See {@link ComprehensiveReport}. */
export type ComprehensiveReport = z.infer<typeof ComprehensiveReport>;
