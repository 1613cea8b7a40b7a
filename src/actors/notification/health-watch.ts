import type { Clock } from '../../domain/common/clock.ts';
import { MINUTE_MS } from '../../domain/common/time.ts';
import type { OperatorNotices } from './operator.ts';

/** Interval between checks, in milliseconds. */
export const LOOK_EVERY_MS = MINUTE_MS;
/** Consecutive failed checks before the operator is notified; a single failure may be chance. */
export const LOOKS_UNTIL_TOLD = 2;

/** A condition that the service needs in order to work. */
export interface HealthCheck {
  /** Name of the checked part, such as `chain`. */
  readonly part: string;
  /** @returns The problem, or `undefined`. A rejection counts as a problem too. */
  look(): Promise<string | undefined>;
}

/** Dependencies of the health watch. */
export interface HealthWatchParts {
  readonly checks: readonly HealthCheck[];
  readonly clock: Clock;
  readonly operator: Pick<OperatorNotices, 'raise'>;
}

interface Standing {
  faults: number;
  /** When the operator was notified of the current outage, in Unix milliseconds. */
  toldAt: number | undefined;
}

/**
 * Runs all checks every minute. Notifies the operator once when a part fails and once when it
 * recovers.
 *
 * @returns A function that stops the watch after the current checks.
 */
export function watchHealth({ checks, clock, operator }: HealthWatchParts): () => Promise<void> {
  const standing = new Map<HealthCheck, Standing>();
  let looking: Promise<unknown> = Promise.resolve();
  let isEnded = false;
  let cancel: () => void = () => undefined;

  const look = async (check: HealthCheck): Promise<void> => {
    const fault = await check.look().catch(wordsOf);
    const known = standing.get(check) ?? { faults: 0, toldAt: undefined };
    standing.set(check, known);
    known.faults = fault === undefined ? 0 : known.faults + 1;
    const { part } = check;
    if (fault !== undefined && known.toldAt === undefined && known.faults >= LOOKS_UNTIL_TOLD) {
      known.toldAt = clock.now();
      const key = `health:${part}:${known.toldAt}`;
      operator.raise({ key, severity: 'P0', title: `${part} is unhealthy`, text: fault });
    }
    if (fault === undefined && known.toldAt !== undefined) {
      const text = `Its failure was reported at ${new Date(known.toldAt).toISOString()}.`;
      const key = `health:${part}:${known.toldAt}:over`;
      operator.raise({ key, severity: 'P1', title: `${part} has recovered`, text });
      known.toldAt = undefined;
    }
  };

  const again = (): void => {
    if (isEnded) return;
    cancel = clock.at(clock.now() + LOOK_EVERY_MS, () => {
      looking = Promise.all(checks.map(look)).finally(again);
    });
  };
  again();
  return async () => {
    isEnded = true;
    cancel();
    await looking;
  };
}

function wordsOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : 'the check did not answer';
}
