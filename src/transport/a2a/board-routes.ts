import type { Arbitrations } from '../../domain/arbitration/arbitrations.ts';
import type { JsonObject } from '../../domain/common/json.ts';
import type { FrontRoute } from '../front/front-route.ts';
import { jsonReply } from '../proof/replies.ts';
import { type BoardDeps, createBoardRouter } from './board-call.ts';
import { evidenceRoutes } from './evidence-routes.ts';
import { jobRoutes } from './job-routes.ts';
import { type OpenRecords, recordRoutes } from './record-routes.ts';
import { requestRoutes } from './request-routes.ts';

/** The dependencies of the `/a2a/` routes for work and money. */
export interface A2aDeps extends BoardDeps {
  /**
   * Returns the current balances of the treasury and the escrow.
   *
   * @throws {AppError} `CHAIN_UNAVAILABLE`
   */
  balances(): Promise<JsonObject>;
  /** Absent when arbitration is off. */
  readonly arbitrations?: Arbitrations;
  /** Absent when there is no proof log. */
  readonly openRecords?: OpenRecords;
}

/** Creates `/a2a/requests…`, `/a2a/bids…`, `/a2a/jobs…` and `/a2a/treasury/balances`. */
export function boardRoutes(parts: A2aDeps): readonly FrontRoute[] {
  const serve = createBoardRouter(parts);
  return [
    ...requestRoutes(parts, serve),
    ...jobRoutes(parts, serve),
    ...(parts.arbitrations === undefined ? [] : evidenceRoutes(parts.arbitrations, serve)),
    ...(parts.openRecords === undefined ? [] : recordRoutes(parts.openRecords, serve)),
    serve({ method: 'GET', path: '/a2a/treasury/balances' }, async () =>
      jsonReply(200, await parts.balances()),
    ),
  ];
}
