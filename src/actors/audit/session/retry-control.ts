import type { AuditTargets } from '../../../domain/audit/audit-target.ts';
import type { Clock } from '../../../domain/common/clock.ts';
import { toAppError } from '../../../domain/common/error.ts';
import { pause } from '../../../domain/common/pause.ts';
import { SECOND_MS } from '../../../domain/common/time.ts';
import type {
  ConsentOutput,
  RecheckInput,
  RecheckOutput,
} from '../../../machines/audit/audit-context.ts';
import type { ControlCheck } from './control-check.ts';
import { isAlive } from './with-target.ts';

/** Wait before the second attempt if the proof of control has no answer, in milliseconds. */
const RETRY_PAUSE_MS = 10 * SECOND_MS;

/** Dependencies of the control check. */
export interface ControlRetryDeps {
  readonly targets: AuditTargets;
  readonly control: ControlCheck;
  readonly clock: Clock;
}

type Down = Extract<RecheckOutput, { state: 'down' }>;

/**
 * Verifies the proof of control between two seats. Retries once after a pause if the proof has no
 * answer but the target is reachable. Only an answer can withdraw consent; a silent target counts
 * as down.
 *
 * @throws {AppError} errors of the check other than `AUDIT_TARGET_DOWN`.
 */
export async function checkControlWithRetry(
  { targets, control, clock }: ControlRetryDeps,
  order: RecheckInput,
  signal: AbortSignal,
): Promise<ConsentOutput | Down> {
  const tally = { requests: 0 };
  const downOf = (thrown: unknown): Down => {
    const { code, message } = toAppError(thrown);
    if (code !== 'AUDIT_TARGET_DOWN' || signal.aborted) throw thrown;
    tally.requests += 1;
    return { state: 'down', reason: `${code}: ${message}`, requests: tally.requests };
  };
  const check = (): Promise<ConsentOutput | Down> =>
    control.check(order.consent, signal).catch(downOf);
  const first = await check();
  if (first.state !== 'down') return first;
  if (!(await isAlive(targets, order, { signal, tally }))) return { ...first, ...tally };
  await pause(clock, RETRY_PAUSE_MS, signal);
  const second = await check();
  const requests = tally.requests + (second.state === 'down' ? 0 : (second.requests ?? 0));
  return { ...second, requests };
}
