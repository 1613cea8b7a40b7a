import { SECOND_MS } from '../../../domain/common/time.ts';
import type { FailureReason } from '../../../domain/hosting/records.ts';
import type { RunOrder, Supervisor } from './supervisor.ts';

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
  supervisor: Supervisor,
  name: string,
  order: RunOrder,
  { limitMs, what, signal, graceMs = 0 }: RunBounds,
): Promise<FailureReason | null> {
  const { startedAt } = await supervisor.start(name, order);
  const left = Math.max(0, startedAt + limitMs - supervisor.now());
  const timeout = new AbortController();
  const cancel = supervisor.at(supervisor.now() + left, () => timeout.abort());
  try {
    const end = await supervisor.waitForEnd(name, AbortSignal.any([signal, timeout.signal]));
    // The kernel's memory report is lost when its cgroup is removed.
    const reason = supervisor.failureReason(name, end);
    await supervisor.kill(name);
    return reason;
  } catch (thrown) {
    if (!supervisor.isClosing) await supervisor.stop(name, graceMs);
    if (!timeout.signal.aborted || signal.aborted) throw thrown;
    return { timedOut: { seconds: limitMs / SECOND_MS, what } };
  } finally {
    cancel();
  }
}
