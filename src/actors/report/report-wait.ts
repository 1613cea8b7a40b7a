import { type JobWaitOptions, waitForEnd } from '../job/wait-for-job.ts';
import { reportProgress } from './report-progress.ts';
import { type ReportReadDeps, type ReportView, readReport } from './report-view.ts';

/**
 * Waits until a report ends or the wait is over, with progress, then returns its state.
 *
 * @throws {AppError} `JOB_UNKNOWN`
 */
export async function waitForReport(
  { engine }: Pick<ReportReadDeps, 'engine'>,
  jobId: string,
  o: JobWaitOptions,
): Promise<ReportView> {
  const job = { view: () => readReport(engine, jobId), stepOf: reportProgress };
  return await waitForEnd(engine, job, o);
}
