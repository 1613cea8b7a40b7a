import type { Effect, EffectRow } from '../engine/types.ts';
import { LazyAbort } from './attempt.ts';

/** A running effect. */
export class EffectRun {
  readonly actorId: string;
  readonly kind: string;
  readonly effect: Effect<never>;
  row: EffectRow;
  isStopped = false;
  /**
   * True from the start of an attempt in the store to its end. A close in between spares the
   * attempt.
   */
  isAttemptRecorded = false;
  /** True once an attempt ended without a crash of this process. */
  hasEndedAttempt = false;
  onStop: () => void = () => undefined;
  #abort = new LazyAbort();

  constructor(actorId: string, kind: string, row: EffectRow, effect: Effect<never>) {
    this.actorId = actorId;
    this.kind = kind;
    this.row = row;
    this.effect = effect;
  }

  /** Creates the abort of the next attempt. */
  createAbort(): LazyAbort {
    this.#abort = new LazyAbort();
    return this.#abort;
  }

  stop(): void {
    this.isStopped = true;
    this.#abort.abort();
    this.onStop();
  }
}
