import type { Arbitrations } from '../../domain/arbitration/arbitrations.ts';
import { EvidenceOrder } from '../../domain/arbitration/case-view.ts';
import type { JsonObject } from '../../domain/common/json.ts';
import type { FrontRoute } from '../front/front-route.ts';
import { jsonReply } from '../proof/replies.ts';
import { type BoardDeps, type CreateBoardRoute, createBoardRouter } from './board-call.ts';
import { jobRoutes } from './job-routes.ts';
import { readBody } from './read-request.ts';
import { type OpenRecords, recordRoutes } from './record-routes.ts';
import { requestRoutes } from './request-routes.ts';

const JOB = '/a2a/jobs/';
/** Largest body: one party's texts in escaped UTF-8, and the other fields. */
const EVIDENCE_BYTES_MAX = 262_144;

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

/** Creates the routes on which the parties submit evidence and read the arbitration of a job. */
function evidenceRoutes(
  arbitrations: Arbitrations,
  serve: CreateBoardRoute,
): readonly FrontRoute[] {
  return [
    serve(
      { method: 'POST', path: JOB, suffix: '/evidence', bodyBytesMax: EVIDENCE_BYTES_MAX },
      async (call) => {
        const by = await call.by();
        const order = readBody(call.request, call.body, EvidenceOrder);
        return jsonReply(200, await arbitrations.submitEvidence(call.id, order, by));
      },
    ),
    serve({ method: 'GET', path: JOB, suffix: '/arbitration' }, async (call) =>
      jsonReply(200, await arbitrations.read(call.id, await call.by())),
    ),
  ];
}
