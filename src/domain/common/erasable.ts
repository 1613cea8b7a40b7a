/** A store of personal data that can erase it on request. */
export interface Erasable {
  /** Short name of the store for the operator. */
  readonly store: string;
  /**
   * Erases a subject (a wallet or agent name, in lower case) and returns the number of rows
   * removed. Idempotent.
   */
  erase(subject: string): Promise<number>;
}
