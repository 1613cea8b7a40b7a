import type { BlobStore } from '../../domain/common/blob-store.ts';
import type { AuditContext } from '../../machines/audit/audit-context.ts';
import type { ActorEngine } from '../../runtime/engine/types.ts';
import { type PaidJob, viewPaidJob } from '../job/paid-job.ts';

/** The kind of audit actors. */
export const AUDIT_KIND = 'audit';

/** An audit's view with its context by name. */
export type AuditView = PaidJob<AuditContext>;

/** What reading an audit needs. */
export interface AuditReadDeps {
  readonly engine: ActorEngine;
  readonly blobs: Pick<BlobStore, 'get'>;
}

/**
 * Reads the committed state of an audit.
 *
 * @throws {AppError} `JOB_UNKNOWN`
 */
export function viewAudit(engine: ActorEngine, jobId: string): Promise<AuditView> {
  return viewPaidJob(engine, jobId, [AUDIT_KIND]);
}
