import type { PanelState } from '../../domain/panel/result.ts';
import type { Clock } from '../../domain/ports/clock.ts';
import type { Progress } from '../../domain/tool.ts';
import { type ReadDeps, stateOf } from './panel-state.ts';
import { type PanelJob, viewPanel } from './panel-view.ts';
import { ProgressLine } from './progress-line.ts';
import { loadBrief } from './prompt.ts';

/** How to wait. */
export interface WaitOptions {
  /** Milliseconds; 0 answers at once. */
  readonly waitMs: number;
  readonly clock: Clock;
  /** Ends the wait, not the panel. */
  readonly signal: AbortSignal;
  readonly onProgress?: (step: Progress) => void;
}

/**
 * Waits until a panel ends, needs turns of the caller, or the time is over; then reads it. Tells
 * its progress at once, on every finished turn and after each `HEARTBEAT_MS` of silence.
 *
 * @throws {AppError} `JOB_UNKNOWN`
 */
export async function waitForPanel(
  deps: ReadDeps,
  jobId: string,
  o: WaitOptions,
): Promise<PanelState> {
  const first = await viewPanel(deps.engine, jobId, deps.panels);
  if (isWorthAnswering(first) || o.waitMs <= 0 || o.signal.aborted) {
    return stateOf(first, deps.blobs);
  }
  const { panel, context } = first;
  const { options } = loadBrief(panel, deps.blobs, context.input.briefSha);
  const line = new ProgressLine({ ...context, panel, options }, o);
  await new Promise<void>((resolve) => {
    const endings: (() => void)[] = [];
    const finish = () => {
      for (const end of endings.splice(0)) end();
      resolve();
    };
    endings.push(
      deps.engine.watch(jobId, first.seq + 1, (entry) => {
        line.take(entry);
        void viewPanel(deps.engine, jobId, deps.panels).then((view) => {
          if (isWorthAnswering(view)) finish();
        }, finish);
      }),
      o.clock.at(o.clock.now() + o.waitMs, finish),
      () => line.close(),
    );
    o.signal.addEventListener('abort', finish, { once: true });
    endings.push(() => o.signal.removeEventListener('abort', finish));
  });
  const last = await viewPanel(deps.engine, jobId, deps.panels);
  return stateOf(last, deps.blobs);
}

/** True when there is more to say than that it goes on. */
function isWorthAnswering({ status, effects, context }: PanelJob): boolean {
  const needsCaller = context.input.mode === 'caller' && effects.some((row) => row.src === 'turn');
  return status !== 'active' || needsCaller;
}
