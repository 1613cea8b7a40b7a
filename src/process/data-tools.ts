import type { Clock } from '../domain/ports/clock.ts';
import type { EgressPort } from '../domain/ports/egress.ts';
import type { LlmPort } from '../domain/ports/llm.ts';
import type { Random } from '../domain/ports/random.ts';
import type { TrustChain } from '../domain/ports/trust-chain.ts';
import { marketQuotes } from '../providers/data/market-quotes.ts';
import { createPageReader } from '../providers/data/pages/page-reader.ts';
import { createUpstreamReader } from '../providers/data/upstream-reader.ts';
import { tableTokenPrices } from '../providers/llm/token-prices.ts';
import type { DataDeps } from '../tools/catalog.ts';

/** What the data tools stand on. */
export interface DataParts {
  readonly clock: Clock;
  readonly trust: TrustChain;
  readonly llm: LlmPort;
  readonly egress: EgressPort;
  readonly random: Random;
  /** How the operator is reached; told to upstreams. */
  readonly contact: string | undefined;
}

/** What the data tools work with; nothing is read before the first call. */
export function openDataTools(parts: DataParts): DataDeps {
  const { clock, trust, llm, egress } = parts;
  return {
    ...{ clock, trust, llm },
    tokenPrices: tableTokenPrices(clock),
    pages: createPageReader({ egress, clock }),
    quotes: marketQuotes(createUpstreamReader(parts)),
  };
}
