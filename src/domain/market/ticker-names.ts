/** What the writing public calls a ticker; of others the ticker itself is looked for. */
const NAMES: Readonly<Record<string, string>> = {
  ...{ BTC: 'Bitcoin', ETH: 'Ethereum', SOL: 'Solana', XRP: 'XRP', ADA: 'Cardano' },
  ...{ DOGE: 'Dogecoin', LTC: 'Litecoin', AVAX: 'Avalanche crypto', LINK: 'Chainlink' },
  ...{ XLM: 'Stellar crypto', XMR: 'Monero', BCH: '"Bitcoin Cash"', UNI: 'Uniswap' },
};

/** The words by which texts about a ticker are found, where the caller names none. */
export function topicOfTicker(ticker: string): string {
  return NAMES[ticker] ?? ticker;
}
