/** A single-use link to the console. */
export interface ConsoleLink {
  readonly url: string;
  /** Time at which it expires, in milliseconds. */
  readonly expiresAt: number;
}
