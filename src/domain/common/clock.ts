/** An injected clock. Milliseconds since 1970-01-01T00:00:00Z. */
export interface Clock {
  now(): number;
  /** Calls `run` once, at or after `at`, however far ahead. Returns a function that cancels it. */
  at(at: number, run: () => void): () => void;
}
