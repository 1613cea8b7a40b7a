import { calcPrice } from '@pydantic/genai-prices';
import { AppError } from '../../domain/common/error.ts';
import { formatMicroUsd, type MicroUsdText } from '../../domain/common/money.ts';
import type { LlmUsage } from '../../domain/llm/llm.ts';
import type { ModelEntry } from './model-list.ts';

/** Version of the bundled price table; pinned in package.json. */
export const PRICE_TABLE = 'genai-prices@0.1.8';
/** Tokens of a request outside the caller's text: roles, schema, framing. */
const OVERHEAD_TOKENS = 1_000;
const MICROS = 1_000_000;
/** Most dollars per call that are accepted as a cost. */
const USD_MAX = 1_000_000;
/** Most micro-dollars per call that are accepted if its model has no known price. */
const UNPRICED_MAX = '100000000';

/** A price set by the operator, in dollars per million tokens. */
export interface OperatorPrice {
  readonly input: number;
  readonly output: number;
}

/** A cost with its source. `null` is unknown, never free. */
export interface Cost {
  readonly costMicroUsd: MicroUsdText | null;
  readonly priceSource: string;
}

const PRICE_FORMAT = 'write a price as vendor:model=0.15/0.60';
const PRICE_PATTERN = /^(\S+)=(\d+(?:\.\d+)?)\/(\d+(?:\.\d+)?)$/;

/**
 * Parses the operator's prices: comma-separated `vendor:model=input/output`, in dollars per million
 * tokens.
 *
 * @param modelIds - The models that may be priced. A price for any other is an error.
 * @throws {AppError} `CONFIG_INVALID` naming the entry.
 */
export function parsePrices(
  text: string,
  modelIds: readonly string[],
): ReadonlyMap<string, OperatorPrice> {
  const prices = new Map<string, OperatorPrice>();
  for (const part of text.split(',').map((item) => item.trim())) {
    if (part === '') continue;
    const [, modelId, input, output] = PRICE_PATTERN.exec(part) ?? [];
    if (modelId === undefined)
      throw invalidPrice(`${PRICE_FORMAT}, not ${JSON.stringify(part)}`, part);
    if (!modelIds.includes(modelId))
      throw invalidPrice(`no model ${JSON.stringify(modelId)}`, part);
    prices.set(modelId, { input: Number(input), output: Number(output) });
  }
  return prices;
}

/**
 * Prices one call by the provider's bill, else the operator's price, else the price table.
 *
 * @param billedUsd - The provider's own cost in dollars, if it reports one.
 */
export function computeCost(
  entry: ModelEntry,
  usage: LlmUsage,
  operatorPrice: OperatorPrice | undefined,
  billedUsd: number | undefined,
): Cost {
  if (usage.source === 'none') return { costMicroUsd: '0', priceSource: 'none' };
  if (billedUsd !== undefined) return toCost(Math.min(billedUsd, USD_MAX), 'provider');
  if (operatorPrice !== undefined) {
    return toCost(
      (usage.input * operatorPrice.input + usage.output * operatorPrice.output) / MICROS,
      'operator',
    );
  }
  // Priced per call: tiers by input size make the price of a sum wrong.
  const priced = calcPrice(
    {
      input_tokens: usage.input,
      output_tokens: usage.output,
      cache_read_tokens: usage.cacheRead,
      cache_write_tokens: usage.cacheWrite,
    },
    entry.model,
    entry.baseUrl === undefined ? { providerId: entry.vendor } : { providerApiUrl: entry.baseUrl },
  );
  if (priced === null) return { costMicroUsd: null, priceSource: 'unknown' };
  return toCost(priced.total_price, PRICE_TABLE);
}

/** Returns the maximum cost of a call. A token has at least one character in common scripts. */
export function computeCostCeiling(
  entry: ModelEntry,
  own: OperatorPrice | undefined,
  inputChars: number,
  maxOutputTokens: number,
): MicroUsdText | null {
  const usage: LlmUsage = {
    input: inputChars + OVERHEAD_TOKENS,
    output: maxOutputTokens,
    cacheRead: 0,
    cacheWrite: 0,
    source: 'estimated',
  };
  return computeCost(entry, usage, own, undefined).costMicroUsd;
}

/** Limits a cost to the call's ceiling. */
export function capCost(cost: Cost, ceiling: MicroUsdText | null): Cost {
  const { costMicroUsd } = cost;
  if (costMicroUsd === null) return cost;
  const most = ceiling ?? UNPRICED_MAX;
  return BigInt(costMicroUsd) <= BigInt(most)
    ? cost
    : { costMicroUsd: most, priceSource: 'ceiling' };
}

function toCost(usd: number, priceSource: string): Cost {
  if (!(usd >= 0 && usd <= USD_MAX)) return { costMicroUsd: null, priceSource: 'unknown' };
  // Rounded up, but not for binary rounding errors.
  const micros = Math.ceil(Number((usd * MICROS).toFixed(4)));
  return { costMicroUsd: formatMicroUsd(BigInt(micros)), priceSource };
}

function invalidPrice(why: string, entry: string): AppError {
  return new AppError('CONFIG_INVALID', {
    message: `STOA_LLM_PRICES: ${why}.`,
    data: { variable: 'STOA_LLM_PRICES', received: entry, allowed: PRICE_FORMAT },
  });
}
