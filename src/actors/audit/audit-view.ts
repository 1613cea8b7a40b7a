import { auditMachine } from '../../machines/audit/audit.ts';
import { isOfKind } from '../../runtime/engine/typed-actors.ts';
import type { ActorEngine, ViewOf } from '../../runtime/engine/types.ts';
import { readPaidJob } from '../job/paid-job.ts';

/** Actor kind of audits. */
export const auditKind = { kind: 'audit', machine: auditMachine } as const;

/** An audit's view with its typed context. */
export type AuditView = ViewOf<typeof auditMachine>;

/**
 * Returns the committed state of an audit.
 *
 * @throws {AppError} `JOB_UNKNOWN`
 */
export function readAudit(engine: ActorEngine, jobId: string): Promise<AuditView> {
  return readPaidJob(engine, jobId, (view): view is AuditView => isOfKind(auditKind, view));
}
