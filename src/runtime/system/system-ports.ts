import type { Awaitable } from '../load/awaitable.ts';

/** A system id that is taken: an effect or a child machine with a name in the tree of its root. */
export interface SystemIdRow {
  /** Actor id of the root of the tree. */
  readonly root: string;
  readonly systemId: string;
  /** Actor id of the parent. */
  readonly owner: string;
  readonly childId: string;
  /** Token of the row of the effect or child in its parent. */
  readonly token: string;
  /** Present for an effect, absent for a child machine. */
  readonly isEffect?: true;
}

/** One write of the system ids, as part of a batch. */
export type SystemWrite =
  | { readonly put: 'systemId'; readonly row: SystemIdRow }
  | { readonly del: 'systemId'; readonly row: SystemIdRow };

/** Reads of the system ids. See `EngineStore`. */
export interface SystemReads {
  /** Returns all system ids that are taken. */
  systemIds(): Awaitable<readonly SystemIdRow[]>;
}
