import type { Core } from '../engine/core.ts';
import type { CrashRow, Write } from '../engine/ports.ts';
import type { DeadLetter, EffectError, EffectRow, Ev } from '../engine/types.ts';
import type { Reading } from '../load/awaitable.ts';
import { read } from '../load/awaitable.ts';
import { KeyedSemaphore } from './keyed-semaphore.ts';

/** Default number of process crashes after which an effect is not run again. */
export const EFFECT_CRASHES_MAX = 3;
/** Maximum time that one suspect effect delays the others, in milliseconds. */
const TURN_MS = 60_000;
/**
 * Delay before another start of a blocked effect fails, so that no machine loops on it, in
 * milliseconds.
 */
export const BLOCKED_PAUSE_MS = 30_000;

const SUSPECTS = 'suspects';
const CRASHED = 'engine.effect.crashed';

/**
 * Returns whether the process crashed during an attempt: it was started, but no end was recorded.
 */
export function wasInterrupted({ attempt, over, waiting }: EffectRow): boolean {
  return !waiting && attempt > (over ?? 0);
}

/** Returns whether a dead letter records an effect that is not run again. */
export function isCrashLetter({ event }: DeadLetter): boolean {
  return event.type === CRASHED;
}

/**
 * Counts process crashes per child of an actor, across restarts of the process and of the child.
 * The count is cleared when a child ends without a crash.
 */
export class CrashCounter {
  readonly #core: Core;
  readonly #rows = new Map<string, CrashRow>();
  readonly #turns = new KeyedSemaphore();

  constructor(core: Core) {
    this.#core = core;
  }

  /** Loads the crash counts of earlier processes. */
  *load(): Reading<void> {
    const rows = yield* read(this.#core.store.crashes());
    for (const row of rows) this.#rows.set(makeKey(row.id, row.childId), row);
  }

  find(id: string, childId: string): CrashRow | undefined {
    return this.#rows.size === 0 ? undefined : this.#rows.get(makeKey(id, childId));
  }

  /** Counts one more crash. The write belongs to the commit that updates the effect's row. */
  countCrash(id: string, { childId }: EffectRow): Write {
    const known = this.find(id, childId);
    // A blocked child was only started by its machine; it did not run.
    if (known?.deadLetterId !== undefined) return this.#put(known);
    return this.#put({ id, childId, deaths: (known?.deaths ?? 0) + 1 });
  }

  /**
   * Creates the dead letter of an effect that is not run again.
   *
   * @returns The letter, and the writes for the commit that notifies the actor.
   */
  createCrashLetter(crash: CrashRow, { src, token, attempt }: EffectRow) {
    const { id, childId, deaths } = crash;
    const at = this.#core.clock.now();
    const mark = this.#core.committer.globalSeq + 1;
    const deadLetterId = `${String(at).padStart(15, '0')}-${mark}-crash`;
    const event: Ev = { type: CRASHED, src, childId, token, deaths };
    const cause = { by: 'effect', token, attempt } as const;
    const reason = toCrashError(crash, src).message;
    const deadLetter: DeadLetter = { deadLetterId, actorId: id, at, event, cause, reason };
    const writes: Write[] = [
      { put: 'dead', row: deadLetter },
      this.#put({ ...crash, deadLetterId }),
    ];
    return { letter: deadLetter, writes };
  }

  /** Clears the crash count of one child because it ended without a crash; returns the writes. */
  clear(id: string, childId: string): readonly Write[] {
    if (this.#rows.size === 0 || !this.#rows.delete(makeKey(id, childId))) return NO_WRITES;
    return [{ del: 'crash', id, childId }];
  }

  /** Clears the crash counts of all children of an actor that has ended; returns the writes. */
  clearActor(id: string): readonly Write[] {
    if (this.#rows.size === 0) return NO_WRITES;
    const ownRows = [...this.#rows.values()].filter((row) => row.id === id);
    return ownRows.flatMap(({ childId }) => this.clear(id, childId));
  }

  /**
   * Waits until no other suspect runs, if one more crash would block this child. Suspects run one
   * at a time, so that the last crash identifies the cause. Call the returned function when the
   * attempt ends.
   */
  async acquireTurn(
    id: string,
    childId: string,
    deathsMax: number,
  ): Promise<(() => void) | undefined> {
    if ((this.find(id, childId)?.deaths ?? 0) < deathsMax - 1) return undefined;
    const release = await this.#turns.acquire(SUSPECTS, 1);
    const { clock } = this.#core;
    const cancel = clock.at(clock.now() + TURN_MS, release);
    return () => {
      cancel();
      release();
    };
  }

  #put(row: CrashRow): Write {
    this.#rows.set(makeKey(row.id, row.childId), row);
    return { put: 'crash', row };
  }
}

/** Creates the error that the machine receives for an effect that is not run again. */
export function toCrashError({ deaths }: CrashRow, src: string): EffectError {
  const message = `${src} is not run again: the process crashed ${deaths} times during it.`;
  return { name: 'EffectError', code: 'EFFECT_CRASHED', message };
}

const NO_WRITES: readonly Write[] = [];

function makeKey(id: string, childId: string): string {
  return `${id}\n${childId}`;
}
