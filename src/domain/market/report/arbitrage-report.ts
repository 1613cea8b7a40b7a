import { z } from 'zod';
import { DataValue, DecimalText } from '../../data/value.ts';

const Fee = z.object({
  bps: DecimalText,
  from: z.string().describe('"caller", or the name of the fee table.'),
});

/** Report on the spreads of a pair between venues. */
export const ArbitrageReport = z.object({
  pair: z.string(),
  size_quote: DecimalText,
  venues: z.array(
    z.object({
      venue: z.string(),
      best_bid: DataValue,
      best_ask: DataValue,
      taker_fee: Fee.nullable().describe('null if unknown; the net spread is then unknown too.'),
    }),
  ),
  opportunities: z
    .array(
      z.object({
        buy_venue: z.string(),
        sell_venue: z.string(),
        entry_ask: DataValue.describe('Average price over the levels used.'),
        exit_bid: DataValue.describe('Average price over the levels used.'),
        gross_spread_bps: DecimalText,
        fees_bps: DecimalText.nullable().describe('Gross minus net.'),
        net_spread_bps: DecimalText.nullable(),
        is_profitable: z.boolean().nullable().describe('Net spread above zero; null if unknown.'),
        fillable_size: DataValue.describe('Amount of base that both books can fill.'),
        is_whole_size: z.boolean(),
        book_depth_used: z.object({ asks: z.int(), bids: z.int() }),
        skew_ms: z.int().nonnegative(),
        withdrawal: z.literal('unknown'),
        caveats: z.array(z.string()),
      }),
    )
    .describe('Both directions of every pair of venues, best first. Most are losses.'),
  rejected: z
    .array(z.object({ buy_venue: z.string(), sell_venue: z.string(), reason: z.string() }))
    .describe('Pairs of order books whose times differ too much.'),
  max_skew_ms: z.int(),
});
/** Report on the spreads of a pair between venues. */
export type ArbitrageReport = z.infer<typeof ArbitrageReport>;
