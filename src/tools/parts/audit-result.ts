import { cancelAudit } from '../../actors/audits/audit.ts';
import { AUDIT_KIND, type AuditReadDeps } from '../../actors/audits/audit-view.ts';
import { waitForAudit } from '../../actors/audits/audit-wait.ts';
import { fromEngine, isEngineCode } from '../../actors/engine-error.ts';
import { AppError } from '../../domain/error.ts';
import type { Clock } from '../../domain/ports/clock.ts';
import { SECOND_MS } from '../../domain/time.ts';
import type { ToolContext, ToolResult } from '../../domain/tool.ts';
import type { ActorEngine } from '../../runtime/types.ts';
import { auditAnswer } from './audit-answer.ts';

/** What is asked of a job that may be an audit. */
export interface AuditAsk {
  readonly job_id: string;
  readonly wait_s: number;
  readonly cancel: boolean;
  readonly turns?: readonly unknown[] | undefined;
}

/** Tells whether a job id names an audit. */
export async function isAudit(engine: ActorEngine, jobId: string): Promise<boolean> {
  try {
    return (await engine.view(jobId)).kind === AUDIT_KIND;
  } catch (thrown) {
    if (isEngineCode(thrown, 'ACTOR_UNKNOWN')) return false;
    throw fromEngine(thrown);
  }
}

/**
 * Reads, awaits or cancels an audit that was paid for.
 *
 * @throws {AppError} `JOB_UNKNOWN`, `AGENT_TURNS_REFUSED`
 */
export async function readAuditJob(
  deps: AuditReadDeps & { readonly clock: Clock },
  { job_id: jobId, wait_s, cancel, turns }: AuditAsk,
  context: ToolContext,
): Promise<ToolResult> {
  if (turns !== undefined) {
    throw new AppError('AGENT_TURNS_REFUSED', { message: 'An audit asks for no turns.' });
  }
  if (cancel) await cancelAudit(deps.engine, jobId);
  const state = await waitForAudit(deps, jobId, {
    waitMs: wait_s * SECOND_MS,
    clock: deps.clock,
    signal: context.signal,
    onProgress: (step) => context.progress(step),
  });
  return auditAnswer(state);
}
