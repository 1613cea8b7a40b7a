import { z } from 'zod';
import { Instant, Sha256 } from '../../data/source.ts';
import { DataValue, DecimalText } from '../../data/value.ts';
import { Gap } from './volatility-report.ts';

const Stretch = { from: Instant, to: Instant };

/**
 * Report on the price history of a pair. A part that was not requested or has too few data is null.
 */
export const HistoryReport = z.object({
  pair: z.string(),
  venue: z.string(),
  interval: z.string(),
  ...Stretch,
  n: z.int().describe('Number of finished candles used.'),
  candles_sha256: Sha256.describe('SHA-256 of the canonical JSON of the candles.'),
  gaps: z.array(Gap),
  first_open: DataValue,
  last_close: DataValue,
  highest: DataValue,
  lowest: DataValue,
  returns: z
    .object({
      n: z.int(),
      mean: DecimalText,
      std: DecimalText,
      skew: DecimalText.nullable(),
      kurtosis: DecimalText.nullable(),
    })
    .nullable()
    .describe('Statistics of ln(close/previous close), without gaps. null without variance.'),
  autocorrelation: z
    .object({
      lags: z.array(z.object({ lag: z.int(), r: DecimalText })),
      band: DecimalText.describe('1.96 / sqrt(n). Values within it are not significant.'),
    })
    .nullable(),
  drawdowns: z
    .array(
      z.object({
        from: Instant,
        low_at: Instant,
        until: Instant.nullable(),
        depth_pct: DecimalText,
      }),
    )
    .nullable()
    .describe('The five deepest, by close. until is null if the high was not regained.'),
  regimes: z.array(z.object({ ...Stretch, regime: z.enum(['up', 'down', 'sideways']) })).nullable(),
  seasonality: z
    .array(z.object({ bucket: z.string(), n: z.int(), mean_return: DecimalText }))
    .nullable(),
  support_resistance: z
    .array(z.object({ level: DecimalText, touches: z.int(), last_at: Instant }))
    .nullable(),
  patterns: z.array(z.object({ name: z.string(), ...Stretch, rule: z.string() })).nullable(),
  indicators: z
    .record(z.string(), DecimalText.nullable())
    .nullable()
    .describe('Values at the last candle.'),
});
/** Report on the price history of a pair. */
export type HistoryReport = z.infer<typeof HistoryReport>;
