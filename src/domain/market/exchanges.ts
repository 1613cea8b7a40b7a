/** Exchanges that are asked where none is named. */
export const EXCHANGES = ['kraken', 'coinbase', 'binance', 'bitstamp'] as const;

/** Exchanges that are asked only where they are named. */
export const FURTHER_EXCHANGES = [
  ...(['okx', 'bybit', 'kucoin', 'gate', 'mexc', 'cryptocom', 'gemini'] as const),
] as const;

/** Name of an exchange that is asked only where it is named. */
export type FurtherExchange = (typeof FURTHER_EXCHANGES)[number];

/** Both lists in words, for descriptions of inputs. */
export const EXCHANGE_WORDS = [EXCHANGES, FURTHER_EXCHANGES]
  .map((names) => names.join(', '))
  .join('; only by name: ');
