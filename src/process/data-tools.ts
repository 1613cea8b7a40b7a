import type { Clock } from '../domain/ports/clock.ts';
import type { EgressPort } from '../domain/ports/egress.ts';
import type { LlmPort } from '../domain/ports/llm.ts';
import type { TrustChain } from '../domain/ports/trust-chain.ts';
import { createPageReader } from '../providers/data/pages/page-reader.ts';
import { tableTokenPrices } from '../providers/llm/token-prices.ts';
import type { DataDeps } from '../tools/catalog.ts';

/** What the data tools stand on. */
export interface DataParts {
  readonly clock: Clock;
  readonly trust: TrustChain;
  readonly llm: LlmPort;
  readonly egress: EgressPort;
}

/** What the data tools work with; nothing is read before the first call. */
export function openDataTools({ clock, trust, llm, egress }: DataParts): DataDeps {
  return {
    ...{ clock, trust, llm },
    tokenPrices: tableTokenPrices(clock),
    pages: createPageReader({ egress, clock }),
  };
}
