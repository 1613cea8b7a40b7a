import type { AuditState } from '../../domain/audit/state.ts';
import type { Services } from '../common/services.ts';
import { type JobWaitOptions, waitForEnd } from '../job/wait-for-job.ts';
import { auditProgress } from './audit-progress.ts';
import { createAuditState } from './audit-state.ts';
import { readAudit } from './audit-view.ts';

/**
 * Waits until an audit ends or the wait is over, with progress, then returns its state.
 *
 * @throws {AppError} `JOB_UNKNOWN`
 */
export async function waitForAudit(
  { engine, blobs }: Pick<Services, 'blobs' | 'engine'>,
  jobId: string,
  o: JobWaitOptions,
): Promise<AuditState> {
  const job = { view: () => readAudit(engine, jobId), stepOf: auditProgress };
  return createAuditState(await waitForEnd(engine, job, o), blobs);
}
