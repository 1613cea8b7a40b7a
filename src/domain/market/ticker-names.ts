/** Common names of tickers in news texts. Other tickers are searched as they are. */
const NAMES: Readonly<Record<string, string>> = {
  BTC: 'Bitcoin',
  ETH: 'Ethereum',
  SOL: 'Solana',
  XRP: 'XRP',
  ADA: 'Cardano',
  DOGE: 'Dogecoin',
  LTC: 'Litecoin',
  AVAX: 'Avalanche crypto',
  LINK: 'Chainlink',
  XLM: 'Stellar crypto',
  XMR: 'Monero',
  BCH: '"Bitcoin Cash"',
  UNI: 'Uniswap',
};

/** Returns the default search words for a ticker. */
export function searchTermOf(ticker: string): string {
  return NAMES[ticker] ?? ticker;
}
