/** A store that holds something about people, and forgets it when it is asked to. */
export interface Erasable {
  /** What it is, in a word or two, for the operator. */
  readonly store: string;
  /**
   * Forgets a subject (a wallet or an agent's name, in lower case); returns how many rows went.
   * Safe to repeat.
   */
  erase(subject: string): Promise<number>;
}
