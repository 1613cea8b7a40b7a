import { SECOND_MS } from '../../../domain/common/time.ts';
import type { FailureReason } from '../../../domain/hosting/event-types.ts';
import type { Keeper, RunOrder } from './keeper.ts';

/** How long a run may take, in milliseconds since its beginning; and what it is called. */
export interface RunBounds {
  readonly limitMs: number;
  readonly what: string;
  readonly signal: AbortSignal;
  /** Time that it has to end once it was asked to, in milliseconds; none unless set. */
  readonly graceMs?: number;
}

/**
 * Runs a command to its end, or takes up the run of this name where it stands. When the signal
 * aborts because nobody wants it any more, all of it is ended; when the daemon only closes, the
 * next one finds it.
 *
 * @returns Why it failed; `null` when it did not.
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
    // The kernel's word on its memory goes with its group.
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
