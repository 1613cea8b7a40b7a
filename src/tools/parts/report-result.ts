import { cancelReport } from '../../actors/reports/report.ts';
import type { ReportReadDeps } from '../../actors/reports/report-view.ts';
import { waitForReport } from '../../actors/reports/report-wait.ts';
import type { Clock } from '../../domain/ports/clock.ts';
import type { ToolContext, ToolResult } from '../../domain/tool.ts';
import { noTurns, type PaidJobAsk, waitOf } from './job-parts.ts';
import { reportAnswer } from './report-answer.ts';

/**
 * Reads, awaits or cancels a report that was paid for.
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
