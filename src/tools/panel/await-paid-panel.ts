import type { PanelReadDeps } from '../../actors/panel/panel-state.ts';
import { waitForPanel } from '../../actors/panel/panel-wait.ts';
import { detachPanel } from '../../actors/panel/panels.ts';
import type { Clock } from '../../domain/common/clock.ts';
import { invariant } from '../../domain/common/error.ts';
import type { ToolContext } from '../../domain/tool/tool.ts';
import type { ToolResult } from '../../domain/tool/tool-result.ts';
import { createJobWait } from '../job/job-parts.ts';
import { answerPanel } from './panel-answer.ts';

/** Waits for the panel that a call has paid for, and returns its state. */
export async function awaitPaidPanel(
  deps: PanelReadDeps & { readonly clock: Clock },
  context: ToolContext,
  seconds: number,
): Promise<ToolResult> {
  const { jobId, signal } = context;
  invariant(jobId !== undefined, 'a panel runs as the job that its payment created');
  const state = await waitForPanel(deps, jobId, createJobWait(deps, context, seconds));
  if (signal.aborted) await detachPanel(deps, jobId);
  return answerPanel(deps, state, context.origin);
}
