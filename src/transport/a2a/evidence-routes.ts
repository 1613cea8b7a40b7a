import type { Arbitrations } from '../../domain/arbitration/arbitrations.ts';
import { EvidenceOrder } from '../../domain/arbitration/case-view.ts';
import type { FrontRoute } from '../front/front-route.ts';
import { jsonReply } from '../proof/replies.ts';
import type { CreateBoardRoute } from './board-call.ts';
import { readBody } from './read-request.ts';

const JOB = '/a2a/jobs/';
/** Largest body: one party's texts in escaped UTF-8, and the other fields. */
const EVIDENCE_BYTES_MAX = 262_144;

/** Creates the routes on which the parties submit evidence and read the arbitration of a job. */
export function evidenceRoutes(
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
