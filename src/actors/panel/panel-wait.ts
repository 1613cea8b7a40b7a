import type { PanelState } from '../../domain/panel/result.ts';
import { isImmediate, type JobWaitOptions, waitUntilOver } from '../job/wait-for-job.ts';
import { PanelProgress } from './panel-progress.ts';
import { createPanelState, type PanelReadDeps } from './panel-state.ts';
import { type PanelJob, readPanelJob } from './panel-view.ts';
import { loadBrief } from './turn-prompt.ts';

/**
 * Waits until a panel ends, needs turns from the caller, or the wait is over, then returns its
 * state. Reports progress at once, on every finished turn, and after each `HEARTBEAT_MS` of
 * silence.
 *
 * @throws {AppError} `JOB_UNKNOWN`
 */
export async function waitForPanel(
  { engine, blobs, panels }: PanelReadDeps,
  jobId: string,
  o: JobWaitOptions,
): Promise<PanelState> {
  const first = await readPanelJob(engine, jobId, panels);
  if (isReadyToAnswer(first) || isImmediate(o)) return createPanelState(first, blobs);
  const { panel, context } = first;
  const { options } = loadBrief(panel, blobs, context.input.briefSha);
  const progress = new PanelProgress({ ...context, panel, options }, o);
  await waitUntilOver(engine, first, o, {
    onEntry: async (entry) => {
      progress.onEntry(entry);
      return isReadyToAnswer(await readPanelJob(engine, jobId, panels));
    },
    onEnd: () => progress.close(),
  });
  return createPanelState(await readPanelJob(engine, jobId, panels), blobs);
}

/** Returns true if the panel has ended or waits for the caller. */
function isReadyToAnswer({ status, effects, context }: PanelJob): boolean {
  const needsCaller = context.input.mode === 'caller' && effects.some((row) => row.src === 'turn');
  return status !== 'active' || needsCaller;
}
