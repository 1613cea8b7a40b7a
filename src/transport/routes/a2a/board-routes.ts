import type { JsonObject } from '../../../domain/json.ts';
import type { Arbitrations } from '../../../domain/ports/arbitrations.ts';
import type { FrontRoute } from '../../front-route.ts';
import { json } from '../proofs/ask.ts';
import { type BoardParts, boardServer } from './board-call.ts';
import { evidenceRoutes } from './evidence-routes.ts';
import { jobRoutes } from './job-routes.ts';
import { requestRoutes } from './request-routes.ts';

/** What the addresses below `/a2a/` for work and money are served from. */
export interface A2aParts extends BoardParts {
  /**
   * What the treasury and the escrow hold now.
   *
   * @throws {AppError} `CHAIN_UNAVAILABLE`
   */
  balances(): Promise<JsonObject>;
  /** Absent where nobody arbitrates. */
  readonly arbitrations?: Arbitrations;
}

/** `/a2a/requests…`, `/a2a/bids…`, `/a2a/jobs…` and `/a2a/treasury/balances`. */
export function boardRoutes(parts: A2aParts): readonly FrontRoute[] {
  const serve = boardServer(parts);
  return [
    ...requestRoutes(parts, serve),
    ...jobRoutes(parts, serve),
    ...(parts.arbitrations === undefined ? [] : evidenceRoutes(parts.arbitrations, serve)),
    serve({ method: 'GET', path: '/a2a/treasury/balances' }, async () =>
      json(200, await parts.balances()),
    ),
  ];
}
