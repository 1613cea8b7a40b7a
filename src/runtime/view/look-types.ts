import type { JournalEntry, ListRow, View } from '../engine/types.ts';

/** A committed change of what `ActorEngine.list` tells of one actor. */
export interface ListChange {
  /** `undefined` of a new actor. */
  readonly before: ListRow | undefined;
  /** `undefined` of an actor that was purged. */
  readonly after: ListRow | undefined;
  /** The row that did it; `undefined` of a purge. */
  readonly entry: JournalEntry | undefined;
}

/**
 * An actor at one row of its journal, with the way there and on. Transitions are told by
 * `<source>|<event>|<index>`: the path of the state by dots, the event type as the machine names
 * it (`''` of `always`), and the place among the candidates of that event in that state from 0.
 */
export interface Explained {
  readonly view: View;
  /** The row `view.seq`; `undefined` when the journal does not keep it any more. */
  readonly entry: JournalEntry | undefined;
  /** State value before that row; `undefined` at the first row that is kept. */
  readonly valueBefore: unknown;
  /** Transitions that the row took, in order, `always` ones too; none where that is not known. */
  readonly taken: readonly string[];
  /** Candidates of every event that the present states name, whatever their guards will say. */
  readonly possible: readonly string[];
}

/** Options of `fork`. */
export interface ForkOptions {
  /** The copy gets no timers either: it stays as it is until somebody tells it something. */
  readonly withoutTimers?: boolean;
  /** See `TellOptions.who`. */
  readonly who?: string;
}

/** Options of `retry`. */
export interface RetryOptions {
  /** See `TellOptions.who`. */
  readonly who?: string;
}
