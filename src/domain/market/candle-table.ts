import { z } from 'zod';
import { DecimalText } from '../data/value.ts';
import type { Candle } from './candles.ts';

/** Candles as rows without names, which would be most of their size; figures are decimals. */
export const CandleTable = z.object({
  columns: z.tuple([
    z.literal('at_ms'),
    z.literal('open'),
    z.literal('high'),
    z.literal('low'),
    z.literal('close'),
    z.literal('volume'),
  ]),
  rows: z
    .array(z.tuple([z.int(), DecimalText, DecimalText, DecimalText, DecimalText, DecimalText]))
    .describe('The oldest first; at_ms is when it begins, in milliseconds since 1970.'),
  sources: z.array(z.string()).min(1).describe('Ids of the sources that they come from.'),
});
/** See {@link CandleTable}. */
export type CandleTable = z.infer<typeof CandleTable>;

/** Puts candles into a table that cites their sources. */
export function candleTable(candles: readonly Candle[], ids: readonly string[]): CandleTable {
  return {
    columns: ['at_ms', 'open', 'high', 'low', 'close', 'volume'],
    rows: candles.map(({ at, open, high, low, close, volume }) => [
      ...([at, open, high, low, close, volume] as const),
    ]),
    sources: [...new Set(ids)],
  };
}
