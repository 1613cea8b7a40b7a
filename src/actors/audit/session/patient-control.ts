import type { AuditTargets } from '../../../domain/audit/audit-target.ts';
import type { Clock } from '../../../domain/common/clock.ts';
import { toAppError } from '../../../domain/common/error.ts';
import { SECOND_MS } from '../../../domain/common/time.ts';
import type {
  ConsentAnswer,
  LookAnswer,
  LookOrder,
} from '../../../machines/audit/audit-context.ts';
import { isAlive } from './ask-target.ts';
import { pause } from './calling.ts';
import type { ControlCheck } from './control-check.ts';

/** How long a target is left in peace that did not answer for the proof, before the second try. */
const PATIENCE_MS = 10 * SECOND_MS;

/** What the proof of control is looked at with. */
export interface ControlParts {
  readonly targets: AuditTargets;
  readonly control: ControlCheck;
  readonly clock: Clock;
}

type Down = Extract<LookAnswer, { state: 'down' }>;

/**
 * Looks at the proof of control between two seats, and once more after a while where nothing
 * answers for it but the target is there. Only an answer takes the proof back: a target that is
 * silent is down, and nothing more is asked of it.
 *
 * @throws {AppError} what the check throws beside `AUDIT_TARGET_DOWN`.
 */
export async function controlPatiently(
  { targets, control, clock }: ControlParts,
  order: LookOrder,
  signal: AbortSignal,
): Promise<ConsentAnswer | Down> {
  const tally = { requests: 0 };
  const downOf = (thrown: unknown): Down => {
    const { code, message } = toAppError(thrown);
    if (code !== 'AUDIT_TARGET_DOWN' || signal.aborted) throw thrown;
    tally.requests += 1;
    return { state: 'down', reason: `${code}: ${message}`, requests: tally.requests };
  };
  const check = (): Promise<ConsentAnswer | Down> =>
    control.check(order.consent, signal).catch(downOf);
  const first = await check();
  if (first.state !== 'down') return first;
  if (!(await isAlive(targets, order, { signal, tally }))) return { ...first, ...tally };
  await pause({ clock, signal }, PATIENCE_MS);
  const second = await check();
  const requests = tally.requests + (second.state === 'down' ? 0 : (second.requests ?? 0));
  return { ...second, requests };
}
