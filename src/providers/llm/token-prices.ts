import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Clock } from '../../domain/common/clock.ts';
import { toDecimal } from '../../domain/common/decimal.ts';
import { toIsoTime } from '../../domain/common/time.ts';
import type { UnnumberedSource } from '../../domain/data/source.ts';
import type { PricedUsage, TokenPrices } from '../../domain/llm/token-prices.ts';
import { PRICE_TABLE } from './price.ts';

const PACKAGE = '@pydantic/genai-prices';
/** Decimal places of a price: one token of the cheapest model must still count. */
const DECIMAL_PLACES = 12;

/** Creates the reader of bundled token prices. The table is loaded for the first price. */
export function createTableTokenPrices(clock: Clock): TokenPrices {
  let source: Promise<UnnumberedSource> | undefined;
  return {
    table: PRICE_TABLE,
    sourceFacts: () => {
      source ??= readTable(clock);
      return source;
    },
    price: async (bill) => {
      const { calcPrice } = await import('@pydantic/genai-prices');
      const options = {
        timestamp: new Date(bill.at),
        ...(bill.provider === undefined ? {} : { providerId: bill.provider }),
      };
      const priced = calcPrice(toTableUsage(bill), bill.model, options);
      return priced === null ? undefined : toDecimal(priced.total_price, DECIMAL_PLACES);
    },
  };
}

/** The table counts cached tokens as part of the input. */
function toTableUsage({ parts }: PricedUsage) {
  const { uncached, cacheRead, cacheWrite, output } = parts;
  return {
    input_tokens: uncached + cacheRead + cacheWrite,
    cache_read_tokens: cacheRead,
    cache_write_tokens: cacheWrite,
    output_tokens: output,
  };
}

async function readTable(clock: Clock): Promise<UnnumberedSource> {
  const bytes = await readFile(fileURLToPath(import.meta.resolve(PACKAGE)));
  return {
    upstream: 'genai-prices',
    url: `urn:stoa:package:${PACKAGE}:${PRICE_TABLE.split('@')[1] ?? ''}`,
    retrieved_at: toIsoTime(clock.now()),
    revalidated_at: null,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    bytes: bytes.byteLength,
    http_status: null,
    from_cache: false,
    license: 'MIT',
  };
}
