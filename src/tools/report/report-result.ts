import { cancelReport } from '../../actors/report/report.ts';
import type { ReportReadDeps } from '../../actors/report/report-view.ts';
import { waitForReport } from '../../actors/report/report-wait.ts';
import type { Clock } from '../../domain/common/clock.ts';
import type { ToolContext, ToolResult } from '../../domain/tool/tool.ts';
import { noTurns, type PaidJobAsk, waitOf } from '../job/job-parts.ts';
import { reportAnswer } from './report-answer.ts';

/**
 * Reads, awaits or cancels a paid report.
 *
 * @throws {AppError} `JOB_UNKNOWN`, `AGENT_TURNS_REFUSED`
 */
export async function readReportJob(
  deps: ReportReadDeps & { readonly clock: Clock },
  { job_id: jobId, wait_s, cancel, turns }: PaidJobAsk,
  context: ToolContext,
): Promise<ToolResult> {
  if (turns !== undefined) throw noTurns('A report');
  if (cancel) await cancelReport(deps.engine, jobId);
  const view = await waitForReport(deps, jobId, waitOf(deps, context, wait_s));
  return reportAnswer(view, deps.blobs);
}
