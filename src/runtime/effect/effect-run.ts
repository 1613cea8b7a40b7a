import type { Effect, EffectRow } from '../engine/types.ts';
import { Abort } from './attempt.ts';

/** One effect at work. */
export class EffectRun {
  readonly actorId: string;
  readonly kind: string;
  readonly effect: Effect<never>;
  row: EffectRow;
  stopped = false;
  /** True from the note of an attempt to its end: a close in between spares it. */
  isNoted = false;
  /** True once an attempt ended while this process lived. */
  hasEndedAttempt = false;
  onStop: () => void = () => undefined;
  #abort = new Abort();

  constructor(actorId: string, kind: string, row: EffectRow, effect: Effect<never>) {
    this.actorId = actorId;
    this.kind = kind;
    this.row = row;
    this.effect = effect;
  }

  /** The abort of the next attempt. */
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
