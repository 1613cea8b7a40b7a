import type { Effect, EffectRow } from '../engine/types.ts';
import { Abort } from './attempt.ts';

/** A running effect. */
export class EffectRun {
  readonly actorId: string;
  readonly kind: string;
  readonly effect: Effect<never>;
  row: EffectRow;
  stopped = false;
  /**
   * True from the start of an attempt in the store to its end. A close in between spares the
   * attempt.
   */
  isNoted = false;
  /** True once an attempt ended without a crash of this process. */
  hasEndedAttempt = false;
  onStop: () => void = () => undefined;
  #abort = new Abort();

  constructor(actorId: string, kind: string, row: EffectRow, effect: Effect<never>) {
    this.actorId = actorId;
    this.kind = kind;
    this.row = row;
    this.effect = effect;
  }

  /** Creates the abort of the next attempt. */
  arm(): Abort {
    this.#abort = new Abort();
    return this.#abort;
  }

  stop(): void {
    this.stopped = true;
    this.#abort.abort();
    this.onStop();
  }
}
