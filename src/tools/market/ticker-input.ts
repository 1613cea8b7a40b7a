import { z } from 'zod';
import { TOPIC_CHARS_MAX } from '../../domain/news/topic.ts';

const Code = z.string().regex(/^[A-Z0-9]{2,10}$/);

/** The ticker parameters of an analysis. */
export const TickerFields = {
  ticker: Code.describe('Ticker, such as BTC.'),
  vs: Code.default('USD').describe('Quote currency; a stablecoin is not a dollar. Default: USD.'),
};

/** The search words for texts on a ticker. */
export const TickerTopic = z
  .string()
  .min(1)
  .max(TOPIC_CHARS_MAX)
  .optional()
  .describe('Search words for texts. Default: its common name.');
