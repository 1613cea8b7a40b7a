import { SECOND_MS } from '../../../domain/common/time.ts';
import type { FailureReason } from '../../../domain/hosting/event-types.ts';
import type { Keeper, RunOrder } from './keeper.ts';

/** Timeout of a run since its start, in milliseconds, and its name in errors. */
export interface RunBounds {
  readonly limitMs: number;
  readonly what: string;
  readonly signal: AbortSignal;
  /** Time to exit after SIGTERM, in milliseconds; 0 by default. */
  readonly graceMs?: number;
}

/**
 * Runs a command to its end, or resumes waiting for the run with this name. An abort of the signal
 * stops the run; when the daemon stops, the run continues for the next daemon.
 *
 * @returns Why it failed; `null` on success.
 */
export async function runToEnd(
  keeper: Keeper,
  name: string,
  order: RunOrder,
  { limitMs, what, signal, graceMs = 0 }: RunBounds,
): Promise<FailureReason | null> {
  const { startedAt } = await keeper.begin(name, order);
  const left = Math.max(0, startedAt + limitMs - keeper.now());
  const late = new AbortController();
  const cancel = keeper.at(keeper.now() + left, () => late.abort());
  try {
    const end = await keeper.ended(name, AbortSignal.any([signal, late.signal]));
    // The kernel's memory report is lost when its cgroup is removed.
    const reason = keeper.reasonOf(name, end);
    await keeper.kill(name);
    return reason;
  } catch (thrown) {
    if (!keeper.isClosing) await keeper.stop(name, graceMs);
    if (!late.signal.aborted || signal.aborted) throw thrown;
    return { timedOut: { seconds: limitMs / SECOND_MS, what } };
  } finally {
    cancel();
  }
}
