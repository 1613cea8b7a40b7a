import { z } from 'zod';
import { DataValue, DecimalText } from '../../data/value.ts';

/** One venue's quote, every figure with its source. */
export const VenueQuote = z.object({
  venue: z.string(),
  price: DataValue.describe('Last trade.'),
  bid: DataValue,
  ask: DataValue,
  spread_bps: DecimalText,
  volume_24h: DataValue,
});
/** See {@link VenueQuote}. */
export type VenueQuote = z.infer<typeof VenueQuote>;

/** The answer about the price of a pair. */
export const PriceReport = z.object({
  pair: z.string(),
  venue: z.string(),
  price: DataValue,
  quotes: z.array(VenueQuote),
  reference: z
    .object({
      method: z.literal('weighted_median'),
      venues: z.array(z.string()),
      dropped: z.array(
        z.object({ venue: z.string(), reason: z.enum(['stale', 'ahead_of_clock', 'outlier']) }),
      ),
    })
    .nullable()
    .describe('null for a venue that was named.'),
});
/** See {@link PriceReport}. */
export type PriceReport = z.infer<typeof PriceReport>;
