import { cancelAudit } from '../../actors/audit/audit.ts';
import { waitForAudit } from '../../actors/audit/audit-wait.ts';
import type { Services } from '../../actors/common/services.ts';
import type { Clock } from '../../domain/common/clock.ts';
import type { ToolContext } from '../../domain/tool/tool.ts';
import type { ToolResult } from '../../domain/tool/tool-result.ts';
import { createJobWait, noTurnsError, type PaidJobRequest } from '../job/job-parts.ts';
import { formatAudit } from './audit-answer.ts';

/**
 * Reads, awaits or cancels a paid audit.
 *
 * @throws {AppError} `JOB_UNKNOWN`, `AGENT_TURNS_REFUSED`
 */
export async function readAuditJob(
  deps: Pick<Services, 'blobs' | 'engine'> & { readonly clock: Clock },
  { job_id: jobId, wait_s, cancel, turns }: PaidJobRequest,
  context: ToolContext,
): Promise<ToolResult> {
  if (turns !== undefined) throw noTurnsError('An audit');
  if (cancel) await cancelAudit(deps.engine, jobId);
  const state = await waitForAudit(deps, jobId, createJobWait(deps, context, wait_s));
  return formatAudit(state, context.origin);
}
