/** Exchanges that are queried by default. */
export const EXCHANGES = ['kraken', 'coinbase', 'binance', 'bitstamp'] as const;

/** Exchanges that are queried only if named. */
export const OPTIONAL_EXCHANGES = [
  ...(['okx', 'bybit', 'kucoin', 'gate', 'mexc', 'cryptocom', 'gemini'] as const),
] as const;

/** The name of an exchange that is queried only if named. */
export type OptionalExchange = (typeof OPTIONAL_EXCHANGES)[number];

/** Both lists as text for input descriptions. */
export const EXCHANGE_LIST_TEXT = [EXCHANGES, OPTIONAL_EXCHANGES]
  .map((names) => names.join(', '))
  .join('; only by name: ');
