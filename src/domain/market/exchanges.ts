/** Exchanges that are queried by default. */
export const EXCHANGES = ['kraken', 'coinbase', 'binance', 'bitstamp'] as const;

/** Exchanges that are queried only if named. */
export const FURTHER_EXCHANGES = [
  ...(['okx', 'bybit', 'kucoin', 'gate', 'mexc', 'cryptocom', 'gemini'] as const),
] as const;

/** The name of an exchange that is queried only if named. */
export type FurtherExchange = (typeof FURTHER_EXCHANGES)[number];

/** Both lists as text for input descriptions. */
export const EXCHANGE_WORDS = [EXCHANGES, FURTHER_EXCHANGES]
  .map((names) => names.join(', '))
  .join('; only by name: ');
