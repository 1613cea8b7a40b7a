import type { Effect, EffectRow, Ev } from '../engine/types.ts';
import { LazyAbort } from './attempt.ts';

/** Maximum events that wait for an effect that does not listen; most effects never do. */
const UNHEARD_MAX = 100;

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
  /** Events from the effect to its actor that are not on disk yet. */
  unsent = 0;
  #abort = new LazyAbort();
  #listeners: ((event: Ev) => void)[] | undefined;
  /** Events that arrived before the attempt started. */
  #unheard: Ev[] = [];

  constructor(actorId: string, kind: string, row: EffectRow, effect: Effect<never>) {
    this.actorId = actorId;
    this.kind = kind;
    this.row = row;
    this.effect = effect;
  }

  /** Creates the abort of the next attempt. */
  createAbort(): LazyAbort {
    this.#abort = new LazyAbort();
    this.#listeners = undefined;
    return this.#abort;
  }

  /** Adds a listener for the events that the machine sends to this effect. */
  listen(listener: (event: Ev) => void): void {
    this.#listeners ??= [];
    this.#listeners.push(listener);
    // The attempt may add further listeners before it awaits anything.
    queueMicrotask(() => {
      for (const event of this.#unheard.splice(0)) this.receive(event);
    });
  }

  /** Passes on an event; events before the first listener wait for it. */
  receive(event: Ev): void {
    if (this.isStopped) return;
    if (this.#listeners === undefined)
      this.#unheard = [...this.#unheard, event].slice(-UNHEARD_MAX);
    else for (const listener of this.#listeners) listener(event);
  }

  stop(): void {
    this.isStopped = true;
    this.#abort.abort();
    this.onStop();
  }
}
