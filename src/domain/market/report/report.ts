import { z } from 'zod';
import { DataValue, DecimalText } from '../../data/value.ts';

/** The quote of one venue. Every value has its source. */
export const VenueQuote = z.object({
  venue: z.string(),
  price: DataValue.describe('Last trade.'),
  bid: DataValue,
  ask: DataValue,
  spread_bps: DecimalText,
  volume_24h: DataValue,
});
/** The quote of one venue. */
export type VenueQuote = z.infer<typeof VenueQuote>;

/** Report on the price of a pair. */
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
    .describe('null if the caller named a venue.'),
});
/** Report on the price of a pair. */
export type PriceReport = z.infer<typeof PriceReport>;
