import type { Progress } from '../../domain/tool/tool.ts';
import { stateName } from '../../runtime/engine/snapshot.ts';
import type { Services } from '../common/services.ts';
import { type JobWaitOptions, waitForEnd } from '../job/wait-for-job.ts';
import { type ReportView, readReport } from './report-view.ts';

/** Extra steps: planning before the planned steps, composing after them. */
const EXTRA_STEPS = 2;

/**
 * Waits until a report ends or the wait is over, with progress, then returns its state.
 *
 * @throws {AppError} `JOB_UNKNOWN`
 */
export async function waitForReport(
  { engine }: Pick<Services, 'engine'>,
  jobId: string,
  o: JobWaitOptions,
): Promise<ReportView> {
  const job = { view: () => readReport(engine, jobId), stepOf: reportProgress };
  return await waitForEnd(engine, job, o);
}

/** Returns the progress of a report, with a message such as `step 2/5: Filings`. */
function reportProgress(view: ReportView): Progress {
  const total = view.context.steps.length + EXTRA_STEPS;
  return { progress: countSteps(view), total, message: progressMessage(view) };
}

/** Returns the number of completed steps, including planning and composing. */
function countSteps({ context, status, value }: ReportView): number {
  const { steps, ends } = context;
  if (status !== 'active' && status !== 'stuck') return steps.length + EXTRA_STEPS;
  if (value === 'ordered') return 0;
  return 1 + (value === 'composing' ? steps.length : ends.length);
}

function progressMessage({ context: { steps, ends }, status, value }: ReportView): string {
  if (status !== 'active' || typeof value === 'string') return stateName(value);
  const { length } = steps;
  return `step ${Math.min(ends.length + 1, length)}/${length}: ${steps[ends.length]?.title ?? ''}`;
}
