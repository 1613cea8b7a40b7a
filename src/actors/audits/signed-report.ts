import { z } from 'zod';
import { AuditReport } from '../../domain/audit/report.ts';
import type { BlobStore } from '../../domain/ports/blob-store.ts';
import { loadKept } from '../load-kept.ts';

const Signed = z.object({
  payload: AuditReport,
  statement: z.object({
    kind: z.string(),
    issued_at: z.string(),
    payload_hash: z.string(),
    signature: z.object({
      alg: z.literal('eip712'),
      signer: z.string(),
      chain_id: z.int(),
      value: z.string(),
    }),
  }),
});

/** A report under the signature of the service. */
export interface SignedReport {
  readonly report: AuditReport;
  readonly statement: z.infer<typeof Signed>['statement'];
}

/** Reads the signed report that an audit keeps by hash. */
export function readSigned(blobs: Pick<BlobStore, 'get'>, signedSha: string): SignedReport {
  const { payload: report, statement } = Signed.parse(loadKept(blobs, signedSha));
  return { report, statement };
}
