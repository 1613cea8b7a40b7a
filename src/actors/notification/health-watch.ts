import { MINUTE_MS } from '../../domain/common/time.ts';
import type { Services } from '../common/services.ts';
import type { OperatorNotices } from './operator-notices.ts';

/** Interval between checks, in milliseconds. */
export const CHECK_INTERVAL_MS = MINUTE_MS;
/** Consecutive failed checks before the operator is notified; a single failure may be chance. */
export const FAILURES_UNTIL_NOTICE = 2;

/** A condition that the service needs in order to work. */
export interface HealthCheck {
  /** Name of the checked part, such as `chain`. */
  readonly part: string;
  /** @returns The problem, or `undefined`. A rejection counts as a problem too. */
  run(): Promise<string | undefined>;
}

interface PartHealth {
  failures: number;
  /** When the operator was notified of the current outage, in Unix milliseconds. */
  noticedAt: number | undefined;
}

/**
 * Runs all checks every minute. Notifies the operator once when a part fails and once when it
 * recovers.
 *
 * @returns A function that stops the watch after the current checks.
 */
export function watchHealth({
  checks,
  clock,
  operator,
}: Pick<Services, 'clock'> & {
  readonly checks: readonly HealthCheck[];
  readonly operator: Pick<OperatorNotices, 'raise'>;
}): () => Promise<void> {
  const states = new Map<HealthCheck, PartHealth>();
  let running: Promise<unknown> = Promise.resolve();
  let isStopped = false;
  let cancel: () => void = () => undefined;

  const runCheck = async (check: HealthCheck): Promise<void> => {
    const fault = await check.run().catch(errorMessage);
    const known = states.get(check) ?? { failures: 0, noticedAt: undefined };
    states.set(check, known);
    known.failures = fault === undefined ? 0 : known.failures + 1;
    const { part } = check;
    if (
      fault !== undefined &&
      known.noticedAt === undefined &&
      known.failures >= FAILURES_UNTIL_NOTICE
    ) {
      known.noticedAt = clock.now();
      const key = `health:${part}:${known.noticedAt}`;
      operator.raise({ key, severity: 'P0', title: `${part} is unhealthy`, text: fault });
    }
    if (fault === undefined && known.noticedAt !== undefined) {
      const text = `Its failure was reported at ${new Date(known.noticedAt).toISOString()}.`;
      const key = `health:${part}:${known.noticedAt}:over`;
      operator.raise({ key, severity: 'P1', title: `${part} has recovered`, text });
      known.noticedAt = undefined;
    }
  };

  const scheduleNext = (): void => {
    if (isStopped) return;
    cancel = clock.at(clock.now() + CHECK_INTERVAL_MS, () => {
      running = Promise.all(checks.map(runCheck)).finally(scheduleNext);
    });
  };
  scheduleNext();
  return async () => {
    isStopped = true;
    cancel();
    await running;
  };
}

function errorMessage(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : 'the check did not answer';
}
