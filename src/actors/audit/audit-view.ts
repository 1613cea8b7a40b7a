import type { BlobStore } from '../../domain/common/blob-store.ts';
import type { AuditContext } from '../../machines/audit/audit-context.ts';
import type { ActorEngine } from '../../runtime/engine/types.ts';
import { type PaidJob, readPaidJob } from '../job/paid-job.ts';

/** Actor kind of audits. */
export const AUDIT_KIND = 'audit';

/** An audit's view with its typed context. */
export type AuditView = PaidJob<AuditContext>;

/** Dependencies for reading an audit. */
export interface AuditReadDeps {
  readonly engine: ActorEngine;
  readonly blobs: Pick<BlobStore, 'get'>;
}

/**
 * Returns the committed state of an audit.
 *
 * @throws {AppError} `JOB_UNKNOWN`
 */
export function readAudit(engine: ActorEngine, jobId: string): Promise<AuditView> {
  return readPaidJob(engine, jobId, [AUDIT_KIND]);
}
