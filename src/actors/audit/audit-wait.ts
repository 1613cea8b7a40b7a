import type { AuditState } from '../../domain/audit/state.ts';
import { type JobWait, waitForEnd } from '../job/wait-for-job.ts';
import { auditStep } from './audit-progress.ts';
import { auditStateOf } from './audit-state.ts';
import { type AuditReadDeps, viewAudit } from './audit-view.ts';

/**
 * Waits until an audit ends or the wait is over, with progress, then returns its state.
 *
 * @throws {AppError} `JOB_UNKNOWN`
 */
export async function waitForAudit(
  { engine, blobs }: AuditReadDeps,
  jobId: string,
  o: JobWait,
): Promise<AuditState> {
  const job = { view: () => viewAudit(engine, jobId), stepOf: auditStep };
  return auditStateOf(await waitForEnd(engine, job, o), blobs);
}
