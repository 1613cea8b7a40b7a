/** Where the table comes from. */
export const FEE_TABLE = 'ccxt@4.5.84';

/**
 * Taker fees of the lowest tier in basis points, as the table has them. What a caller pays may
 * differ: tiers, pairs and discounts are not in it. Bybit's row there is that of derivatives, so
 * that it has none here.
 */
export const TAKER_FEES_BPS: Readonly<Record<string, string>> = {
  coinbase: '60',
  kraken: '26',
  bitstamp: '40',
  binance: '10',
  okx: '15',
  kucoin: '10',
  gate: '20',
  mexc: '20',
  cryptocom: '50',
  gemini: '40',
};
