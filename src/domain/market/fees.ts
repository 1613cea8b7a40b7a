/** Source of the fee table. */
export const FEE_TABLE_SOURCE = 'ccxt@4.5.84';

/**
 * Taker fees of the lowest tier in basis points, from the table. Actual fees may differ by tier,
 * pair and discount. Bybit is omitted because its row applies to derivatives.
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
