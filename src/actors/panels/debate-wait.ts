import type { DebateState } from '../../domain/debate/result.ts';
import type { Clock } from '../../domain/ports/clock.ts';
import type { Progress } from '../../domain/tool.ts';
import { type ReadDeps, stateOf } from './debate-state.ts';
import { type DebateView, viewDebate } from './debate-view.ts';
import { ProgressLine } from './progress-line.ts';
import { loadBrief } from './prompt.ts';

/** How to wait. */
export interface WaitOptions {
  /** Milliseconds; 0 answers at once. */
  readonly waitMs: number;
  readonly clock: Clock;
  /** Ends the wait, not the debate. */
  readonly signal: AbortSignal;
  readonly onProgress?: (step: Progress) => void;
}

/**
 * Waits until a debate ends, needs turns of the caller, or the time is over; then reads it. Tells
 * its progress at once, on every finished turn and after each `HEARTBEAT_MS` of silence.
 *
 * @throws {AppError} `JOB_UNKNOWN`
 */
export async function waitForDebate(
  deps: ReadDeps,
  jobId: string,
  o: WaitOptions,
): Promise<DebateState> {
  const first = await viewDebate(deps.engine, jobId);
  if (isWorthAnswering(first) || o.waitMs <= 0 || o.signal.aborted) {
    return stateOf(first, deps.blobs);
  }
  const { options } = loadBrief(deps.blobs, first.context.input.briefSha);
  const line = new ProgressLine({ ...first.context, options }, o);
  await new Promise<void>((resolve) => {
    const endings: (() => void)[] = [];
    const finish = () => {
      for (const end of endings.splice(0)) end();
      resolve();
    };
    endings.push(
      deps.engine.watch(jobId, first.seq + 1, (entry) => {
        line.take(entry);
        void viewDebate(deps.engine, jobId).then((view) => {
          if (isWorthAnswering(view)) finish();
        }, finish);
      }),
      o.clock.at(o.clock.now() + o.waitMs, finish),
      () => line.close(),
    );
    o.signal.addEventListener('abort', finish, { once: true });
    endings.push(() => o.signal.removeEventListener('abort', finish));
  });
  const last = await viewDebate(deps.engine, jobId);
  return stateOf(last, deps.blobs);
}

/** True when there is more to say than that it goes on. */
function isWorthAnswering({ status, effects, context }: DebateView): boolean {
  const needsCaller = context.input.mode === 'caller' && effects.some((row) => row.src === 'turn');
  return status !== 'active' || needsCaller;
}
