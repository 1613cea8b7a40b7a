import type { Core } from '../engine/core.ts';
import type { CrashRow, Write } from '../engine/ports.ts';
import type { DeadLetter, EffectError, EffectRow, Ev } from '../engine/types.ts';
import { Limiter } from './limiter.ts';

/** Deaths of a process after which its effect is not run again; an effect may say otherwise. */
export const DEATHS_MAX = 3;
/** Longest time that one suspect keeps the others waiting, in milliseconds. */
const TURN_MS = 60_000;
/** Wait before a further start of a refused effect fails, so that no machine can spin on it. */
export const REFUSAL_PAUSE_MS = 30_000;

const SUSPECTS = 'suspects';
const CRASHED = 'engine.effect.crashed';

/** Tells whether the process died during an attempt: it was begun, and nothing says it ended. */
export function wasCutShort({ attempt, over, waiting }: EffectRow): boolean {
  return !waiting && attempt > (over ?? 0);
}

/** Tells whether a dead letter stands for an effect that is not run again. */
export function isCrashLetter({ event }: DeadLetter): boolean {
  return event.type === CRASHED;
}

/**
 * Counts deaths of the process by the child of the actor that was at work, over restarts and over
 * new starts of that child. A child that ends while its process lives has no deaths any more.
 */
export class Crashes {
  readonly #core: Core;
  readonly #rows = new Map<string, CrashRow>();
  readonly #turns = new Limiter();

  constructor(core: Core) {
    this.#core = core;
  }

  /** Reads what earlier processes left. */
  load(): void {
    for (const row of this.#core.store.crashes()) this.#rows.set(makeKey(row.id, row.childId), row);
  }

  of(id: string, childId: string): CrashRow | undefined {
    return this.#rows.size === 0 ? undefined : this.#rows.get(makeKey(id, childId));
  }

  /** Counts one more death; the write belongs into the commit that notes it at the effect. */
  countDeath(id: string, { childId }: EffectRow): Write {
    const known = this.of(id, childId);
    // A refused child was begun by its machine alone: it did nothing.
    if (known?.deadLetterId !== undefined) return this.#keep(known);
    return this.#keep({ id, childId, deaths: (known?.deaths ?? 0) + 1 });
  }

  /**
   * Makes the dead letter of an effect that is not run again.
   *
   * @returns The letter, and the writes of the commit in which the actor hears of it.
   */
  makeCrashLetter(crash: CrashRow, { src, token, attempt }: EffectRow) {
    const { id, childId, deaths } = crash;
    const at = this.#core.clock.now();
    const mark = this.#core.committer.globalSeq + 1;
    const deadLetterId = `${String(at).padStart(15, '0')}-${mark}-crash`;
    const event: Ev = { type: CRASHED, src, childId, token, deaths };
    const cause = { by: 'effect', token, attempt } as const;
    const reason = crashError(crash, src).message;
    const letter: DeadLetter = { deadLetterId, actorId: id, at, event, cause, reason };
    const writes: Write[] = [{ put: 'dead', row: letter }, this.#keep({ ...crash, deadLetterId })];
    return { letter, writes };
  }

  /** The writes that forget the deaths of one child, because it ended while its process lived. */
  clearDeaths(id: string, childId: string): readonly Write[] {
    if (this.#rows.size === 0 || !this.#rows.delete(makeKey(id, childId))) return NOTHING;
    return [{ del: 'crash', id, childId }];
  }

  /** The same for all children of an actor that has ended. */
  clearAllDeaths(id: string): readonly Write[] {
    if (this.#rows.size === 0) return NOTHING;
    const mine = [...this.#rows.values()].filter((row) => row.id === id);
    return mine.flatMap(({ childId }) => this.clearDeaths(id, childId));
  }

  /**
   * Waits until no other suspect is at work, if one more death ends this child: suspects run one
   * after another, so that the last death points at one. Call the answer at its end.
   */
  async turn(id: string, childId: string, deathsMax: number): Promise<(() => void) | undefined> {
    if ((this.of(id, childId)?.deaths ?? 0) < deathsMax - 1) return undefined;
    const release = await this.#turns.acquire(SUSPECTS, 1);
    const { clock } = this.#core;
    const cancel = clock.at(clock.now() + TURN_MS, release);
    return () => {
      cancel();
      release();
    };
  }

  #keep(row: CrashRow): Write {
    this.#rows.set(makeKey(row.id, row.childId), row);
    return { put: 'crash', row };
  }
}

/** What the machine is told of an effect that is not run again. */
export function crashError({ deaths }: CrashRow, src: string): EffectError {
  const message = `${src} is not run again: the process died ${deaths} times while it ran`;
  return { name: 'EffectError', code: 'EFFECT_CRASHED', message };
}

const NOTHING: readonly Write[] = [];

function makeKey(id: string, childId: string): string {
  return `${id}\n${childId}`;
}
