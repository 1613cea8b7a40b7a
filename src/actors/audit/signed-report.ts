import { z } from 'zod';
import { SignedStatementShape } from '../../domain/attestation/records.ts';
import { AuditReport } from '../../domain/audit/report.ts';
import type { BlobStore } from '../../domain/common/blob-store.ts';
import { loadStoredJson } from '../common/load-stored-json.ts';

const StoredSignedReport = z.object({
  payload: AuditReport,
  statement: SignedStatementShape,
});

/** A report with the signature of the server. */
export interface SignedReport {
  readonly report: AuditReport;
  readonly statement: z.infer<typeof StoredSignedReport>['statement'];
}

/** Reads the signed report that an audit stores by hash. */
export function readSignedReport(blobs: Pick<BlobStore, 'get'>, signedSha: string): SignedReport {
  const { payload: report, statement } = StoredSignedReport.parse(loadStoredJson(blobs, signedSha));
  return { report, statement };
}
