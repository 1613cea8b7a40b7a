import type { PanelState } from '../../domain/panel/result.ts';
import { isNoWait, type JobWait, waitUntilOver } from '../job/wait-for-job.ts';
import { type ReadDeps, stateOf } from './panel-state.ts';
import { type PanelJob, viewPanel } from './panel-view.ts';
import { ProgressLine } from './progress-line.ts';
import { loadBrief } from './prompt.ts';

/**
 * Waits until a panel ends, needs turns from the caller, or the wait is over, then returns its
 * state. Reports progress at once, on every finished turn, and after each `HEARTBEAT_MS` of
 * silence.
 *
 * @throws {AppError} `JOB_UNKNOWN`
 */
export async function waitForPanel(
  { engine, blobs, panels }: ReadDeps,
  jobId: string,
  o: JobWait,
): Promise<PanelState> {
  const first = await viewPanel(engine, jobId, panels);
  if (isWorthAnswering(first) || isNoWait(o)) return stateOf(first, blobs);
  const { panel, context } = first;
  const { options } = loadBrief(panel, blobs, context.input.briefSha);
  const line = new ProgressLine({ ...context, panel, options }, o);
  await waitUntilOver(engine, first, o, {
    look: async (entry) => {
      line.take(entry);
      return isWorthAnswering(await viewPanel(engine, jobId, panels));
    },
    close: () => line.close(),
  });
  return stateOf(await viewPanel(engine, jobId, panels), blobs);
}

/** Returns true if the panel has ended or waits for the caller. */
function isWorthAnswering({ status, effects, context }: PanelJob): boolean {
  const needsCaller = context.input.mode === 'caller' && effects.some((row) => row.src === 'turn');
  return status !== 'active' || needsCaller;
}
