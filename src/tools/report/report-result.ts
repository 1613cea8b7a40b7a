import type { Services } from '../../actors/common/services.ts';
import { cancelReport } from '../../actors/report/report.ts';
import { waitForReport } from '../../actors/report/report-wait.ts';
import type { Clock } from '../../domain/common/clock.ts';
import type { ToolContext } from '../../domain/tool/tool.ts';
import type { ToolResult } from '../../domain/tool/tool-result.ts';
import { createJobWait, noTurnsError, type PaidJobRequest } from '../job/job-parts.ts';
import { formatReport } from './report-answer.ts';

/**
 * Reads, awaits or cancels a paid report.
 *
 * @throws {AppError} `JOB_UNKNOWN`, `AGENT_TURNS_REFUSED`
 */
export async function readReportJob(
  deps: Pick<Services, 'blobs' | 'engine'> & { readonly clock: Clock },
  { job_id: jobId, wait_s, cancel, turns }: PaidJobRequest,
  context: ToolContext,
): Promise<ToolResult> {
  if (turns !== undefined) throw noTurnsError('A report');
  if (cancel) await cancelReport(deps.engine, jobId);
  const view = await waitForReport(deps, jobId, createJobWait(deps, context, wait_s));
  return formatReport(view, deps.blobs, context.origin);
}
