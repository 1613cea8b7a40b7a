import { z } from 'zod';
import { DecimalText } from '../data/value.ts';
import type { Candle } from './candles.ts';

const COLUMNS = ['at_ms', 'open', 'high', 'low', 'close', 'volume'] as const;

/** Candles as rows without member names, which would dominate the size. */
export const CandleTable = z.object({
  columns: z.array(z.enum(COLUMNS)).length(COLUMNS.length),
  rows: z
    .array(z.array(DecimalText).length(COLUMNS.length))
    .describe('Oldest first. at_ms is the start time, in milliseconds since 1970.'),
  sources: z.array(z.string()).min(1).describe('Ids of the sources of the candles.'),
});
/** Candles as rows without member names. */
export type CandleTable = z.infer<typeof CandleTable>;

/** Converts candles to a table that cites their sources. */
export function toCandleTable(candles: readonly Candle[], ids: readonly string[]): CandleTable {
  return {
    columns: [...COLUMNS],
    rows: candles.map(({ at, open, high, low, close, volume }) => [
      ...[String(at), open, high, low, close, volume],
    ]),
    sources: [...new Set(ids)],
  };
}
