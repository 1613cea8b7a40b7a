import { fromEngine, isEngineCode } from '../../actors/engine-error.ts';
import { cancelReport } from '../../actors/reports/report.ts';
import { REPORT_KIND, type ReportReadDeps } from '../../actors/reports/report-view.ts';
import { waitForReport } from '../../actors/reports/report-wait.ts';
import { AppError } from '../../domain/error.ts';
import type { Clock } from '../../domain/ports/clock.ts';
import { SECOND_MS } from '../../domain/time.ts';
import type { ToolContext, ToolResult } from '../../domain/tool.ts';
import type { ActorEngine } from '../../runtime/types.ts';
import type { AuditAsk } from './audit-result.ts';
import { reportAnswer } from './report-answer.ts';

/** Tells whether a job id names a report. */
export async function isReport(engine: ActorEngine, jobId: string): Promise<boolean> {
  try {
    return (await engine.view(jobId)).kind === REPORT_KIND;
  } catch (thrown) {
    if (isEngineCode(thrown, 'ACTOR_UNKNOWN')) return false;
    throw fromEngine(thrown);
  }
}

/**
 * Reads, awaits or cancels a report that was paid for.
 *
 * @throws {AppError} `JOB_UNKNOWN`, `AGENT_TURNS_REFUSED`
 */
export async function readReportJob(
  deps: ReportReadDeps & { readonly clock: Clock },
  { job_id: jobId, wait_s, cancel, turns }: AuditAsk,
  context: ToolContext,
): Promise<ToolResult> {
  if (turns !== undefined) {
    throw new AppError('AGENT_TURNS_REFUSED', { message: 'A report asks for no turns.' });
  }
  if (cancel) await cancelReport(deps.engine, jobId);
  const view = await waitForReport(deps, jobId, {
    waitMs: wait_s * SECOND_MS,
    clock: deps.clock,
    signal: context.signal,
    onProgress: (step) => context.progress(step),
  });
  return reportAnswer(view, deps.blobs);
}
