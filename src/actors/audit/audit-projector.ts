import type { AuditReport } from '../../domain/audit/report.ts';
import type { BlobStore } from '../../domain/common/blob-store.ts';
import type { NewProof } from '../../domain/proof/proof-log.ts';
import { createProjector, type Projector } from '../proof/projector.ts';
import { auditKind } from './audit-view.ts';
import { readSignedReport } from './signed-report.ts';

/**
 * Creates the projector of audits, which proves signed reports (ProofOfAuditReport). A copy that an
 * operator forked has an id that differs from its input, and is not projected.
 */
export function createAuditProjector({
  blobs,
}: {
  readonly blobs: Pick<BlobStore, 'get'>;
}): Projector {
  return createProjector(auditKind, {
    after: ['xstate.done.actor.sign'],
    project: async (view, row) => {
      const { input, signedSha } = view.context;
      if (input.jobId !== row.id || signedSha === null) return { proofs: [], events: [] };
      const { report, statement } = readSignedReport(blobs, signedSha);
      return { proofs: [createReportProof(report, statement.payload_hash)], events: [] };
    },
  });
}

/** Returns the proof of a report: its root and the signed hash. */
export function createReportProof(report: AuditReport, reportHash: string): NewProof {
  const { audit_id, plan, target, root, outcome, confirmed, probe_set_version } = report;
  return {
    kind: 30018,
    key: `${audit_id}:reported`,
    ref: audit_id,
    subject: target.origin.toLowerCase(),
    payload: {
      event: 'reported',
      audit_id,
      plan,
      outcome,
      root,
      probe_set_version,
      target: target.origin,
      report_hash: reportHash,
      confirmed: { ...confirmed },
    },
  };
}
