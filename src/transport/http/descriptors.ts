/** The descriptors of this process. Each connection takes one, and so does all else it opens. */
export interface Descriptors {
  /** How many connections leave enough for all else, as things are now. */
  room(): number;
  /** The one that would be opened next: so many are open at least. `undefined` when none can be. */
  next(): number | undefined;
  /** From this one on, so few are left that connections must wait. */
  readonly few: number;
  /** Keeps some for later, where that leaves enough to go on with. */
  hold(): boolean;
  /** Gives back what was kept, for all that is no connection. */
  release(): void;
  /** Told that there is no room for more connections. */
  refused(): void;
}
