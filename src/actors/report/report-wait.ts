import { type JobWait, waitForEnd } from '../job/wait-for-job.ts';
import { reportStep } from './report-progress.ts';
import { type ReportReadDeps, type ReportView, viewReport } from './report-view.ts';

/**
 * Waits until a report ends or the wait is over, with progress, then returns its state.
 *
 * @throws {AppError} `JOB_UNKNOWN`
 */
export async function waitForReport(
  { engine }: Pick<ReportReadDeps, 'engine'>,
  jobId: string,
  o: JobWait,
): Promise<ReportView> {
  const job = { view: () => viewReport(engine, jobId), stepOf: reportStep };
  return await waitForEnd(engine, job, o);
}
