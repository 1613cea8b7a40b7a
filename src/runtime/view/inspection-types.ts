import type { JournalEntry, ListRow, View } from '../engine/types.ts';

/** A committed change of one actor's `ActorEngine.list` row. */
export interface ListChange {
  /** `undefined` for a new actor. */
  readonly before: ListRow | undefined;
  /** `undefined` for a purged actor. */
  readonly after: ListRow | undefined;
  /** The journal row that caused it; `undefined` for a purge. */
  readonly entry: JournalEntry | undefined;
}

/**
 * An actor at one row of its journal, with the transitions to and from it. A transition is written
 * as `<source>|<event>|<index>`: the state's path with dots, the event type as in the machine (`''`
 * for `always`), and the index among that state's candidates for the event, from 0.
 */
export interface Explained {
  readonly view: View;
  /** The row `view.seq`; `undefined` if it was trimmed. */
  readonly entry: JournalEntry | undefined;
  /** State value before that row; `undefined` at the first row kept. */
  readonly valueBefore: unknown;
  /** Transitions that the row took, in order, including `always`; empty if unknown. */
  readonly taken: readonly string[];
  /** Candidates of every event that the current states handle, regardless of their guards. */
  readonly possible: readonly string[];
}

/** Options of `fork`. */
export interface ForkOptions {
  /** Copies no timers either, so the copy stays unchanged until it receives an event. */
  readonly withoutTimers?: boolean;
  /** Author of the call; see `TellOptions.who`. */
  readonly who?: string;
}

/** Options of `retry`. */
export interface RetryOptions {
  /** Author of the call; see `TellOptions.who`. */
  readonly who?: string;
}
